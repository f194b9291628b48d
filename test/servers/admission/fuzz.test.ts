/** The webhooks against what nobody would send on purpose: never a 5xx, never an error inside, always an answer. */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { clusterWith, configMap, configMapReview, review, type AdmissionResponse, patchOf } from './asked.js';
import { Mutator } from './mutator.js';
import { serveWebhooks, type Webhooks } from './webhooks.js';

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
const POD = {
  metadata: {
    generateName: 'web-',
    labels: { app: 'web', 'pod-template-hash': '1' },
    annotations: { 'berth.sh/stamped': '{}' },
    ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u' }],
  },
  spec: {
    containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'Exists' }] }],
        },
      },
    },
    schedulerName: 'default-scheduler',
  },
};
const BARE_POD = { metadata: {}, spec: { containers: [] } };

const CASES = [
  { path: '/mutate-pods', count: 17_000, bases: [review({ object: POD }), review({ object: BARE_POD })] },
  {
    path: '/validate-policies',
    count: 3000,
    bases: [
      configMapReview(configMap('pools', { 'a.yaml': POLICIES })),
      configMapReview(configMap('pools', { a: POLICIES }), {
        operation: 'UPDATE',
        oldObject: configMap('pools', {}),
      }),
      configMapReview(null, { operation: 'DELETE', oldObject: configMap('policies', { a: POLICIES }) }),
    ],
  },
];

const CLIENTS = 8;
const SEED = 20_260_822;

interface Answer {
  readonly status: number;
  readonly body: string;
}

function post(agent: Agent, url: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const sent = request(url, { agent, method: 'POST', headers }, (response) => {
      text(response).then((answer) => {
        resolve({ status: response.statusCode ?? 0, body: answer });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What is wrong with an answer; undefined when it is one that kube-apiserver understands. */
function faultIn({ status, body }: Answer): string | undefined {
  if (status === 400) return body.startsWith('{"error":{"cause":"') ? undefined : body;
  if (status !== 200) return `${String(status)} ${body}`;
  const { response } = JSON.parse(body) as { readonly response: AdmissionResponse };
  const isWhole = response.uid !== '' && (response.allowed || response.status?.message !== '');
  const isPatch = patchOf(response).every(({ path }) => path.startsWith('/'));
  return isWhole && isPatch ? undefined : body;
}

describe.each(CASES)('$path, asked $count times', ({ path, count, bases }) => {
  let webhooks: Webhooks;

  beforeAll(async () => {
    webhooks = await serveWebhooks(clusterWith({ policies: { a: POLICIES } }));
  });

  afterAll(async () => {
    await webhooks.listener.close(0);
  });

  test('answers everything, and nothing breaks inside', async () => {
    const mutator = new Mutator(bases, SEED);
    const agent = new Agent({ keepAlive: true });
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    let left = count;
    const ask = async (): Promise<void> => {
      while (left-- > 0) {
        const body = mutator.next();
        const answer = await post(agent, webhooks.listener.url + path, body);
        const fault = faultIn(answer);
        if (fault !== undefined) faults.push(`${fault} to ${body.toString().slice(0, 2000)}`);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, ask));
    agent.destroy();
    expect(faults).toEqual([]);
    expect(webhooks.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    const outcomes = (await webhooks.metrics.admissionRequests.get()).values;
    expect(outcomes.filter(({ labels }) => labels.outcome === 'error')).toEqual([]);
    // Both kinds of answer, else the bodies were all broken, or none.
    expect(statuses.get(200)).toBeGreaterThan(count / 5);
    expect(statuses.get(400)).toBeGreaterThan(count / 20);
  }, 240_000);
});
