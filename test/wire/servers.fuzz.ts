/**
 * The servers against bodies that nobody would send on purpose: never a 5xx, never an answer that is none, no body that
 * keeps the thread which answers kube-scheduler for 100 ms of CPU, no memory that grows.
 */
import { ThreadPolicyReader } from '../../src/adapters/policies/index.js';
import { systemClock } from '../../src/runtime/time/system-clock.js';
import { observedNode } from '../support/builders/observed-node.js';
import { reservation, reservationEntry } from '../support/builders/reservation.js';
import { compiledProgram } from '../support/compiled-program.js';
import { recordingLogger } from '../support/recording-logger.js';
import {
  clusterWith,
  configMap,
  configMapReview,
  patchOf,
  review,
  type AdmissionResponse,
} from '../servers/admission/asked.js';
import { serveWebhooks, type Webhooks } from '../servers/admission/webhooks.js';
import { ExtenderWorld, wirePod } from '../servers/extender/scheduler-calls.js';
import { BODIES, fuzz, MOST_GROWTH_MIB, summary, type FuzzReport } from './fuzz.js';
import { poster, type Answer } from './post.js';

const { post, close } = poster();
afterAll(close);

/** Both kinds of answer, else the bodies were all broken, or none. */
function expectGood(name: string, report: FuzzReport): void {
  process.stdout.write(`${summary(name, report)}\n`);
  const kinds = [...report.outcomes.keys()].filter((outcome) => !['200', '400', '413'].includes(outcome));
  expect(kinds).toEqual([]);
  expect(report.outcomes.get('200')).toBeGreaterThan(BODIES / 10);
  expect(report.outcomes.get('400')).toBeGreaterThan(BODIES / 50);
  expect(report.slow).toEqual([]);
  expect(report.growthMiB).toBeLessThan(MOST_GROWTH_MIB);
}

/** The status, or what is wrong with an answer that should be a JSON document. */
function outcomeOf({ status, body }: Answer, isGood: (value: unknown) => boolean): string {
  if (status === 400 || status === 413)
    return body.startsWith('{"error":{"cause":"') ? String(status) : `not a refusal: ${body}`;
  if (status !== 200) return `${String(status)} ${body}`;
  return isGood(JSON.parse(body)) ? '200' : `not an answer: ${body}`;
}

const POD = {
  metadata: {
    name: 'web',
    uid: 'web',
    resourceVersion: '7',
    generateName: 'web-',
    labels: { app: 'web', 'pod-template-hash': '1' },
    annotations: { 'berth.sh/stamped': '{}', note: 'a && b < c' },
    ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }],
  },
  spec: {
    containers: [
      { name: 'main', image: 'x', resources: { requests: { cpu: '1' } }, ports: [{ hostPort: 80 }] },
    ],
    initContainers: [{ name: 'first', image: 'x', resources: { requests: { memory: '1Gi' } } }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'rack',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] },
            { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 5, preference: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: { topologyKey: 'rack', labelSelector: { matchLabels: { app: 'web' } } },
          },
        ],
      },
    },
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    schedulerName: 'default-scheduler',
  },
};
const DAEMON_POD = {
  ...POD,
  metadata: {
    ...POD.metadata,
    ownerReferences: [{ kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }],
  },
};

const POLICIES = `apiVersion: berth.sh/v1
kind: PodDefaults
metadata: {name: all}
spec:
  architecture: arm64
  spread: {zone: {maxSkew: 2}, host: {}}
  tolerations: [{key: a, operator: Exists}]
  nodeSelector: {x/y: z}
  schedulerName: auto
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
`;

describe('the extender', () => {
  let world: ExtenderWorld;
  let sent = 0;

  beforeAll(async () => {
    world = await ExtenderWorld.start();
    for (const name of ['n1', 'n2', 'n3']) world.cluster.put('Node', observedNode({ name }));
    const target = { kind: 'Node', name: 'n1' } as const;
    world.cluster.put(
      'Reservation',
      reservation({ target, entries: [reservationEntry({ podUID: 'planned' })] }),
    );
  });

  afterAll(async () => {
    await world.stop();
  });

  /** Charges run out, and the leader stays alive. */
  const between = (): void => {
    if (++sent % 50 > 0) return;
    world.clock.freeze(500);
    world.renewLease();
  };

  const NodeNames = ['n1', 'n2', 'n3', 'n4'];
  const Pods = [{ UID: 'a' }, { UID: 'b' }];
  const nodes = { items: NodeNames.map((name) => ({ metadata: { name } })) };
  test.each([
    [
      'filter',
      [
        { Pod: POD, NodeNames },
        { Pod: DAEMON_POD, NodeNames },
        { Pod: wirePod('planned'), nodes },
      ],
    ],
    [
      'prioritize',
      [
        { Pod: POD, NodeNames },
        { pod: POD, nodenames: NodeNames },
      ],
    ],
    [
      'preempt',
      [
        { Pod: POD, NodeNameToMetaVictims: { n1: { Pods, NumPDBViolations: 1 }, n2: { Pods } } },
        { Pod: DAEMON_POD, NodeNameToVictims: { n1: { Pods: [{ metadata: { uid: 'a' } }] } } },
      ],
    ],
  ])('answers %s with a decision or a refusal', async (verb, bases) => {
    const report = await fuzz({
      bases,
      between,
      ask: async (body) =>
        outcomeOf(await post(`${world.url}/scheduler/${verb}`, body), (value) => typeof value === 'object'),
    });
    expectGood(`extender ${verb}`, report);
    expect(world.passes).toEqual([]);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('the webhooks', () => {
  let webhooks: Webhooks;
  let reader: ThreadPolicyReader;

  beforeAll(async () => {
    const { logger } = recordingLogger();
    const entry = compiledProgram(new URL('../adapters/policies/faulty-policy-worker.ts', import.meta.url));
    reader = new ThreadPolicyReader({
      entry,
      deadlineMillis: 60_000,
      maxWaiting: 8,
      clock: systemClock,
      logger,
    });
    const readPolicies = (object: unknown) => reader.read(object);
    webhooks = await serveWebhooks(clusterWith({ policies: { a: POLICIES } }), { readPolicies });
  });

  afterAll(async () => {
    await webhooks.listener.close(0);
    await reader.close();
  });

  /** kube-apiserver understands it. */
  const isReview = (value: unknown): boolean => {
    const { response } = value as { readonly response: AdmissionResponse };
    const isWhole = response.uid !== '' && (response.allowed || response.status?.message !== '');
    return isWhole && patchOf(response).every(({ path }) => path.startsWith('/'));
  };

  test.each([
    [
      '/mutate-pods',
      [review({ object: POD }), review({ object: { metadata: {}, spec: { containers: [] } } })],
    ],
    [
      '/validate-policies',
      [
        configMapReview(configMap('pools', { 'a.yaml': POLICIES })),
        configMapReview(configMap('pools', { a: POLICIES }), {
          operation: 'UPDATE',
          oldObject: configMap('pools', {}),
        }),
        configMapReview(null, { operation: 'DELETE', oldObject: configMap('policies', { a: POLICIES }) }),
      ],
    ],
  ])('answer %s with a review or a refusal', async (path, bases) => {
    const report = await fuzz({
      bases,
      ask: async (body) => outcomeOf(await post(webhooks.listener.url + path, body), isReview),
    });
    expectGood(`webhook ${path}`, report);
    expect(webhooks.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    const { values } = await webhooks.metrics.admissionRequests.get();
    const broken = values.filter(({ labels }) => ['error', 'unchecked'].includes(String(labels.outcome)));
    expect(broken).toEqual([]);
  });
});
