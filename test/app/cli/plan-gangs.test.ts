/** `berth plan` with gangs: all of one or none of it, and words that say what would help. */
import type { PlanDocument } from '../../../src/app/cli/render/plan/plan-document.js';
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth } from '../support/run-berth.js';

/** Two pods of it do not fit one node: the pool launches large instances only. */
const CONTAINERS = 'containers: [{name: c, image: x, resources: {requests: {cpu: 1500m, memory: 1Gi}}}]';

const POD_GROUP = `apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train}
spec: {minMember: 4}
`;

const PODS = [0, 1, 2, 3].map(
  (index) => `apiVersion: v1
kind: Pod
metadata: {name: train-${String(index)}, labels: {scheduling.x-k8s.io/pod-group: train}}
spec: {${CONTAINERS}}
`,
);

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: train, annotations: {berth.sh/gang: "true"}}
spec: {parallelism: 4, completions: 4, template: {spec: {${CONTAINERS}, restartPolicy: Never}}}
`;

const JOB_SET = `apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, annotations: {berth.sh/gang: "true"}}
spec:
  replicatedJobs:
    - name: driver
      template: {spec: {template: {spec: {${CONTAINERS}, restartPolicy: Never}}}}
    - name: workers
      template: {spec: {parallelism: 3, completions: 3, template: {spec: {${CONTAINERS}, restartPolicy: Never}}}}
`;

/** A pool that may launch so many m7g.large, of two cores each. */
function pool(nodes: number): string {
  return poolText({
    requirements: ['{key: node.kubernetes.io/instance-type, operator: In, values: [m7g.large]}'],
    spec: [`limits: {cpu: ${String(2 * nodes)}}`],
  });
}

interface Answer {
  readonly code: number;
  readonly plan: PlanDocument;
  readonly stderr: string;
}

async function planned(nodes: number, ...documents: readonly string[]): Promise<Answer> {
  const files = { '-': stream(pool(nodes), NODE_CLASS_TEXT, ...documents) };
  const { code, stdout, stderr } = await runBerth(['plan', '-f', '-', '-o', 'json'], { files });
  return { code, plan: JSON.parse(stdout) as PlanDocument, stderr };
}

describe('berth plan, with a gang of four pods', () => {
  test.each<[string, string, readonly string[]]>([
    ['a PodGroup', 'PodGroup default/train', [POD_GROUP, ...PODS]],
    ['a Job', 'Job default/train', [JOB]],
    ['a JobSet', 'JobSet default/train', [JOB_SET]],
  ])('places none of %s when the limits leave room for three', async (_, gang, documents) => {
    const { code, plan, stderr } = await planned(3, ...documents);
    expect([code, stderr]).toEqual([3, '']);
    expect([plan.placements, plan.nodeClaims, plan.cost.hourly]).toEqual([[], [], 0]);
    expect(plan.unschedulable).toHaveLength(4);
    for (const { reasons } of plan.unschedulable) {
      expect(reasons.map(({ nodePool }) => nodePool)).toEqual(['', 'general']);
      expect(reasons[0]?.reason).toBe(
        `3 of the 4 pods that ${gang} needs can be placed, and the gang is placed whole; make room for 1 more or lower its minimum`,
      );
      expect(reasons[1]?.reason).toContain('2 more needed');
    }
  });

  test.each<[string, readonly string[]]>([
    ['a PodGroup', [POD_GROUP, ...PODS]],
    ['a Job', [JOB]],
    ['a JobSet', [JOB_SET]],
  ])('places all of %s when they leave room for four', async (_, documents) => {
    const { code, plan } = await planned(4, ...documents);
    expect(code).toBe(0);
    expect(plan.placements).toHaveLength(4);
    expect(plan.nodeClaims).toHaveLength(4);
    expect(plan.unschedulable).toEqual([]);
  });

  test('says of one that is not all there how many are missing', async () => {
    const { code, plan } = await planned(9, POD_GROUP, ...PODS.slice(0, 2));
    expect(code).toBe(3);
    expect(plan.nodeClaims).toEqual([]);
    expect(plan.unschedulable[0]?.reasons).toEqual([
      {
        nodePool: '',
        reason:
          '2 of the 4 pods that PodGroup default/train needs exist, and the gang is not placed before; create 2 more or lower its minimum',
      },
    ]);
  });

  test('launches for the others as though it were not there', async () => {
    const others = deploymentText('web', 2, '{cpu: 1500m, memory: 1Gi}');
    const { code, plan } = await planned(3, POD_GROUP, ...PODS, others);
    expect(code).toBe(3);
    expect(plan.placements.map(({ pod }) => pod)).toEqual(['default/web-0', 'default/web-1']);
    expect(plan.nodeClaims).toHaveLength(2);
  });

  test('plans its pods one by one, with a warning, when the PodGroup is not among the documents', async () => {
    const { code, plan, stderr } = await planned(3, ...PODS);
    expect(code).toBe(3);
    expect(plan.placements).toHaveLength(3);
    expect(stderr).toContain('names PodGroup default/train, which does not exist');
  });

  test('refuses a PodGroup whose minimum is no positive number', async () => {
    const files = { '-': stream(pool(4), NODE_CLASS_TEXT, POD_GROUP.replace('4', '0'), ...PODS) };
    const { code, stderr } = await runBerth(['plan', '-f', '-'], { files });
    expect(code).toBe(2);
    expect(stderr).toContain('spec.minMember must be at least 1, not 0');
  });
});
