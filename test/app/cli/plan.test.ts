/** `berth plan`, from files to text. */
import { parse } from 'yaml';
import type { PlanDocument } from '../../../src/app/cli/render/plan/plan-document.js';
import { deploymentText, NODE_CLASS_TEXT, poolText, stream } from '../support/manifests.js';
import { runBerth } from '../support/run-berth.js';
import type { FakeWorld } from '../support/fake-io.js';

const policies = [poolText(), NODE_CLASS_TEXT];
const web = deploymentText('web', 4);

async function planned(text: string, ...flags: readonly string[]): Promise<PlanDocument> {
  const { stdout } = await runBerth(['plan', '-f', '-', '-o', 'json', ...flags], { files: { '-': text } });
  return JSON.parse(stdout) as PlanDocument;
}

describe('berth plan', () => {
  test('places pods on the cheapest nodes of the region that the pool names, and prints the contract', async () => {
    const { code, stdout, stderr } = await runBerth(['plan', '-f', '-', '-o', 'json'], {
      files: { '-': stream(...policies, web) },
    });
    const plan = JSON.parse(stdout) as PlanDocument;
    expect([code, stderr]).toEqual([0, '']);
    expect(Object.keys(plan)).toEqual(['placements', 'nodeClaims', 'unschedulable', 'cost', 'solveMillis']);
    expect(plan.placements.map(({ pod }) => pod)).toEqual(
      [0, 1, 2, 3].map((index) => `default/web-${String(index)}`),
    );
    const pods = plan.nodeClaims.flatMap((claim) => claim.pods);
    expect([...pods].sort()).toEqual(plan.placements.map(({ pod }) => pod));
    for (const claim of plan.nodeClaims) {
      expect(claim).toMatchObject({
        nodePool: 'general',
        capacityTypes: ['on-demand'],
        zones: ['eu-west-3a', 'eu-west-3b'],
      });
      expect(claim.instanceTypes[0]).toMatch(/^m7g\./);
    }
    const hourly = plan.nodeClaims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
    expect(plan.cost.hourly).toBeCloseTo(hourly, 6);
    expect(plan.solveMillis).toBe(5);
  });

  test('ends with 3 and the reason per pool when a pod fits nowhere', async () => {
    const text = stream(...policies, web, deploymentText('huge', 1, '{cpu: 900}'));
    const { code, stdout } = await runBerth(['plan', '-f', '-'], { files: { '-': text } });
    expect(code).toBe(3);
    expect(stdout).toContain('4 of 5 pods placed, 1 cannot be');
    expect(stdout).toMatch(/Cannot be placed: 1 pod\n {2}default\/huge-0\n {4}general: .*\bcpu\b.*m7g/);
  });

  test.each([null, '2026-08-01T00:00:00Z'])(
    'plans nothing for a NodePool that is being deleted, and says so (deletionTimestamp %j)',
    async (deletionTimestamp) => {
      const leaving = poolText({ name: 'leaving', spec: ['weight: 50'] }).replace(
        '{name: leaving}',
        JSON.stringify({ name: 'leaving', deletionTimestamp }),
      );
      const { stdout, stderr } = await runBerth(['plan', '-f', '-', '-o', 'json'], {
        files: { '-': stream(...policies, leaving, web) },
      });
      const { nodeClaims, unschedulable } = JSON.parse(stdout) as PlanDocument;
      expect(unschedulable).toEqual([]);
      const isLeaving = deletionTimestamp !== null;
      expect([...new Set(nodeClaims.map(({ nodePool }) => nodePool))]).toEqual([
        isLeaving ? 'general' : 'leaving',
      ]);
      expect(stderr.includes('NodePool leaving is being deleted')).toBe(isLeaving);
    },
  );

  test('plans nothing for the NodePools of an EC2NodeClass that is being deleted, and says so', async () => {
    const leaving = NODE_CLASS_TEXT.replace(
      '{name: default}',
      '{name: default, deletionTimestamp: "2026-08-01T00:00:00Z"}',
    );
    const { code, stdout, stderr } = await runBerth(['plan', '-f', '-'], {
      files: { '-': stream(poolText(), leaving, web) },
    });
    expect(code).toBe(3);
    expect(stdout).toMatch(/general: +EC2NodeClass default is not ready: it is being deleted/);
    expect(stderr).toContain('EC2NodeClass default is being deleted');
  });

  test('gives the same bytes for the same documents in any order and any cut into files', async () => {
    const documents = [...policies, web, deploymentText('api', 3, '{cpu: 300m, memory: 1Gi}')];
    const one = await runBerth(['plan', '-f', '-', '-o', 'json'], { files: { '-': stream(...documents) } });
    const files = Object.fromEntries(
      [...documents].reverse().map((text, index) => [`dir/${String(index)}.yaml`, text]),
    );
    const many = await runBerth(['plan', '-f', 'dir', '-o', 'json'], { files });
    expect(one.code).toBe(0);
    expect(many).toEqual(one);
  });

  test('takes several files behind one -f, as a shell writes them', async () => {
    const files = { 'a.yaml': stream(...policies), 'b.yaml': web };
    const { code, stdout } = await runBerth(['plan', '-f', 'a.yaml', 'b.yaml'], { files });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 of 4 pods placed \| /);
  });

  test('reads policies from ConfigMaps', async () => {
    const indented = stream(...policies).replace(/^/gm, '    ');
    const configMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: pools, namespace: berth-system, labels: {berth.sh/policy: "true"}}
data:
  pools.yaml: |
${indented}`;
    const { code, stdout, stderr } = await runBerth(['plan', '-f', '-'], {
      files: { '-': stream(`${configMap}\n`, web) },
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^4 of 4 pods placed /);
  });

  test('prints the same in YAML', async () => {
    const files = { '-': stream(...policies, web) };
    const { stdout } = await runBerth(['plan', '-f', '-', '-o', 'yaml'], { files });
    expect(parse(stdout)).toEqual(await planned(files['-']));
  });

  test('prices by --region, and by the types of --catalog alone', async () => {
    const pool = poolText({
      requirements: ['{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}'],
    });
    const text = stream(pool, NODE_CLASS_TEXT, web);
    const [here, there] = [await planned(text), await planned(text, '--region', 'sa-east-1')];
    expect(here.nodeClaims[0]?.zones.every((zone) => zone.startsWith('us-east-1'))).toBe(true);
    expect(there.nodeClaims[0]?.zones.every((zone) => zone.startsWith('sa-east-1'))).toBe(true);
    expect(there.cost.hourly).toBeGreaterThan(here.cost.hourly);
    const catalog = {
      region: 'us-east-1',
      instanceTypes: [
        {
          name: 'm7g.2xlarge',
          ...{ vcpu: 8, memoryMiB: 32768, arch: 'arm64', maxPods: 58 },
          offerings: [{ zone: 'us-east-1a', capacityType: 'on-demand', price: 0.5 }],
        },
      ],
    };
    const files = { 'm.yaml': text, 'catalog.json': JSON.stringify(catalog) };
    const { stdout } = await runBerth(['plan', '-f', 'm.yaml', '--catalog', 'catalog.json', '-o', 'json'], {
      files,
    });
    const plan = JSON.parse(stdout) as PlanDocument;
    expect(plan.cost.hourly).toBe(0.5);
    expect(plan.nodeClaims).toMatchObject([
      { instanceTypes: ['m7g.2xlarge'], zones: ['us-east-1a'], hourlyPrice: 0.5, hourlyPriceMax: 0.5 },
    ]);
  });

  test('offers zones beyond c where pools name them', async () => {
    const pool = poolText({
      requirements: ['{key: topology.kubernetes.io/zone, operator: In, values: [us-west-2d]}'],
    });
    const { nodeClaims, unschedulable } = await planned(stream(pool, NODE_CLASS_TEXT, web));
    expect(unschedulable).toEqual([]);
    expect(new Set(nodeClaims.flatMap(({ zones }) => zones))).toEqual(new Set(['us-west-2d']));
  });

  test('says when several regions are named, and which it took', async () => {
    const other = poolText({
      name: 'other',
      requirements: ['{key: topology.kubernetes.io/zone, operator: In, values: [us-west-2a]}'],
    });
    const files = { '-': stream(...policies, other, web) };
    const { stderr } = await runBerth(['plan', '-f', '-'], { files });
    expect(stderr).toContain('several regions are named; planned for eu-west-3, not us-west-2\n');
  });

  test('names a node class that is missing', async () => {
    const { code, stdout, stderr } = await runBerth(['plan', '-f', '-'], {
      files: { '-': stream(poolText(), web) },
    });
    expect(code).toBe(3);
    expect(stdout).toMatch(/4 pods like default\/web-0\n {4}general: {2}EC2NodeClass default does not exist/);
    expect(stderr).toMatch(/^stdin:\d+:\d+ NodePool\/general: warning: .*EC2NodeClass default/);
  });

  test('lets preferences count or not', async () => {
    const preferring = web.replace(
      '    spec:\n',
      `    spec:
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 1
              preference:
                matchExpressions:
                  - {key: topology.kubernetes.io/zone, operator: In, values: [eu-west-3b]}
`,
    );
    const zonesWith = async (preferences: string) =>
      (await planned(stream(...policies, preferring), '--preferences', preferences)).nodeClaims[0]?.zones;
    expect(await zonesWith('respect')).toEqual(['eu-west-3b']);
    expect(await zonesWith('ignore')).toEqual(['eu-west-3a', 'eu-west-3b']);
  });

  test('uses existing nodes first, counts what they cost, and lists those that take pods', async () => {
    const node = `apiVersion: v1
kind: Node
metadata:
  name: node-a
  labels:
    node.kubernetes.io/instance-type: m7g.4xlarge
    topology.kubernetes.io/zone: eu-west-3a
    karpenter.sh/capacity-type: on-demand
    karpenter.sh/nodepool: general
status:
  allocatable: {cpu: "15", memory: 50Gi, pods: "100"}
  capacity: {cpu: "16", memory: 64Gi, pods: "100"}
`;
    const text = stream(...policies, web, node);
    const { nodeClaims, placements, cost } = await planned(text);
    expect(nodeClaims).toEqual([]);
    expect(placements[0]).toEqual({ pod: 'default/web-0', node: 'node-a' });
    expect(cost).toMatchObject({ hourly: 0 });
    expect(cost.existingHourly).toBeGreaterThan(0);
    const { stdout } = await runBerth(['plan', '-f', '-'], { files: { '-': text } });
    expect(stdout).toMatch(/node-a {2}m7g\.4xlarge {2}eu-west-3a {4}\+4\n/);
  });

  test('tells which pods and documents it left to others', async () => {
    const pod = (name: string, spec: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {containers: [{name: c, image: i}], ${spec}}\n`;
    const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n';
    const text = stream(
      ...policies,
      'apiVersion: berth.sh/v1\nkind: PodDefaults\nmetadata: {name: amd64}\nspec: {architecture: amd64}\n',
      web,
      pod('gated', 'schedulingGates: [{name: example.org/gate}]'),
      pod('foreign', 'schedulerName: volcano'),
      service,
      service.replace('web', 'api'),
    );
    const { code, stderr } = await runBerth(['plan', '-f', '-'], { files: { '-': text } });
    expect(code).toBe(0);
    expect(stderr).toBe(
      'ignored, not used in planning: Service (2)\nPodDefaults amd64: not applied, pods are planned as they are written\nnot planned: 2 pods (1 ForeignScheduler, 1 SchedulingGated)\n',
    );
  });

  test('counts the warnings that are not about the plan, and tells the others', async () => {
    const old = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: old}
spec:
  ttlSecondsAfterEmpty: 30
  providerRef: {name: gone}
`;
    const { code, stderr } = await runBerth(['plan', '-f', 'a.yaml', 'b.yaml'], {
      files: { 'a.yaml': stream(...policies, web, old), 'b.yaml': '# nothing yet\n' },
    });
    expect(code).toBe(0);
    const [about, counted, empty, ...others] = stderr.split('\n');
    expect(about).toMatch(/Provisioner\/old: warning: .* names EC2NodeClass gone/);
    expect(counted).toMatch(
      /^\d+ warnings, 1 note not about this plan, 1 document of an older version among them: see berth validate$/,
    );
    expect([empty, ...others]).toEqual(['b.yaml: contains no documents', '']);
  });

  test('-o wide prints the same table with all instance types of each node', async () => {
    const files = { '-': stream(...policies, web) };
    const narrow = await runBerth(['plan', '-f', '-'], { files });
    const wide = await runBerth(['plan', '-f', '-', '-o', 'wide'], { files });
    const [first] = (await planned(stream(...policies, web))).nodeClaims;
    expect([narrow.code, wide.code]).toEqual([0, 0]);
    expect(narrow.stdout).toMatch(/m7g\.\w+ \(\+\d+ more\)/);
    expect(wide.stdout).toContain(` ${first?.instanceTypes.join(',') ?? ''} `);
    expect(first?.instanceTypes.length).toBeGreaterThan(1);
  });

  test('plans with a NodePool and a NodeClass of EKS Auto Mode, and says what they are read as', async () => {
    const nodeClass = NODE_CLASS_TEXT.replace('karpenter.k8s.aws/v1', 'eks.amazonaws.com/v1')
      .replace('EC2NodeClass', 'NodeClass')
      .replace(/ *amiSelectorTerms.*\n/, '');
    const pool = poolText()
      .replace('karpenter.k8s.aws', 'eks.amazonaws.com')
      .replace('EC2NodeClass', 'NodeClass');
    const files = { '-': stream(nodeClass, pool, web) };
    const { nodeClaims } = await planned(files['-']);
    expect(nodeClaims.length).toBeGreaterThan(0);
    const { code, stdout, stderr } = await runBerth(['validate', '-f', '-'], { files });
    expect(code).not.toBe(2);
    expect(stdout + stderr).toContain(
      'names the NodeClass of EKS Auto Mode, which is read as EC2NodeClass auto-mode-default',
    );
  });

  test('says how many errors keep it from planning', async () => {
    const { code, stdout, stderr } = await runBerth(['plan', '-f', '-'], {
      files: { '-': stream(web, web.replace('Deployment', 'Deplyment')) },
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /Deplyment\/web: error: kind is not a kind of apps\/v1: Deplyment \(did you mean Deployment\?\)/,
    );
    expect(stderr).toMatch(/\n1 error: fix the errors to get a plan\n$/);
  });

  test('colours only what a terminal shows', async () => {
    const world = (isTTY: boolean): FakeWorld => ({
      isTTY,
      env: { LANG: 'C.UTF-8' },
      files: { '-': stream(...policies, web) },
    });
    const [terminal, pipe] = [
      await runBerth(['plan', '-f', '-'], world(true)),
      await runBerth(['plan', '-f', '-'], world(false)),
    ];
    expect(terminal.stdout).toMatch(/\u001b\[32m4 of 4 pods placed.*█/s);
    expect(pipe.stdout).not.toMatch(/[^\n -~]/);
  });
});
