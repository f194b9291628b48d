/** Bodies that were written to keep the thread busy which answers kube-scheduler: each takes less than 100 ms of its CPU. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ThreadPolicyReader } from '../../src/adapters/policies/index.js';
import { systemClock } from '../../src/runtime/time/system-clock.js';
import { clusterWith, configMap, configMapReview, review } from '../servers/admission/asked.js';
import { serveWebhooks, type Webhooks } from '../servers/admission/webhooks.js';
import { ExtenderWorld, wirePod } from '../servers/extender/scheduler-calls.js';
import { compiledProgram } from '../support/compiled-program.js';
import { recordingLogger } from '../support/recording-logger.js';
import { leastMillis, MOST_CPU_MILLIS, type Fuzzed } from './fuzz.js';
import { poster } from './post.js';

const POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: NAME}
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
`;

/** A list with so many of one item. */
function list(count: number, item: string): string {
  return `[${Array<string>(count).fill(item).join(',')}]`;
}

function podReview(spec: string): string {
  return JSON.stringify(review({ object: { metadata: { name: 'a<b' }, spec: 'SPEC' } })).replace(
    '"SPEC"',
    spec,
  );
}

function policies(text: string): string {
  return JSON.stringify(configMapReview(configMap('pools', { a: text })));
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}

const ESCAPED = String.raw`"\u0041"`;
const TO_WEBHOOKS: readonly (readonly [string, string, string])[] = [
  ['7 MB of integers', '/mutate-pods', list(3_400_000, '1')],
  ['7 MB of integers and an escape', '/mutate-pods', `[${ESCAPED},${list(3_400_000, '1')}]`],
  ['7 MB of {} and an escape', '/mutate-pods', `[${ESCAPED},${list(2_300_000, '{}')}]`],
  [
    'a pod with 950,000 empty tolerations',
    '/mutate-pods',
    podReview(`{"tolerations":${list(950_000, '{}')}}`),
  ],
  ['as many values as are read', '/mutate-pods', podReview(`{"tolerations":${list(49_000, '{}')}}`)],
  ['1 MB of a list of maps', '/validate-policies', policies('- a: 1\n'.repeat(120_000))],
  ['110,000 YAML documents', '/validate-policies', policies('---\na: 1\n'.repeat(110_000))],
  [
    'a NodePool with 60,000 unknown keys',
    '/validate-policies',
    policies(POOL + lines(60_000, (index) => `  k${String(index)}: 1\n`)),
  ],
  [
    '3,000 NodePools',
    '/validate-policies',
    policies(lines(3000, (index) => `---\n${POOL.replace('NAME', `p${String(index)}`)}`)),
  ],
];

const { post, close } = poster();
/** Reads a body and answers, as any server must. */
const plain = createServer((request, response) => {
  void buffer(request).then(() => response.end('{}'));
});

beforeAll(async () => {
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
});

afterAll(() => {
  close();
  plain.close();
});

/** What a server takes beyond that a body is sent and read, which happens in the same thread here. */
async function millisOfServer(ask: Fuzzed['ask'], body: Buffer): Promise<number> {
  const { port } = plain.address() as AddressInfo;
  const read = async (bytes: Buffer): Promise<string> =>
    String((await post(`http://127.0.0.1:${String(port)}`, bytes)).status);
  const millis = await leastMillis(read, body, 0);
  return Math.max(0, (await leastMillis(ask, body, MOST_CPU_MILLIS + millis)) - millis);
}

describe('a webhook', () => {
  let webhooks: Webhooks;
  let reader: ThreadPolicyReader;

  beforeAll(async () => {
    const { logger } = recordingLogger();
    const entry = compiledProgram(new URL('../adapters/policies/faulty-policy-worker.ts', import.meta.url));
    reader = new ThreadPolicyReader({
      entry,
      deadlineMillis: 1700,
      maxWaiting: 8,
      clock: systemClock,
      logger,
    });
    webhooks = await serveWebhooks(clusterWith(), { readPolicies: (object) => reader.read(object) });
  });

  afterAll(async () => {
    await webhooks.listener.close(0);
    await reader.close();
  });

  test.each(TO_WEBHOOKS)('that is sent %s answers without a stall', async (_, path, body) => {
    const statuses: string[] = [];
    const ask = async (bytes: Buffer): Promise<string> => {
      const { status } = await post(webhooks.listener.url + path, bytes);
      statuses.push(String(status));
      return String(status);
    };
    expect(await millisOfServer(ask, Buffer.from(body))).toBeLessThan(MOST_CPU_MILLIS);
    expect(statuses.filter((status) => status !== '200' && status !== '413')).toEqual([]);
  });
});

describe('the extender', () => {
  test.each([500, 2000, 20_000])('filters a pod with %d preferences without a stall', async (terms) => {
    const world = await ExtenderWorld.start();
    const preference = { matchExpressions: [{ key: 'team', operator: 'In', values: ['red'] }] };
    const preferred = Array.from({ length: terms }, () => ({ weight: 1, preference }));
    const Pod = wirePod('web') as { readonly spec: object };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    const asked = { Pod: { ...Pod, spec: { ...Pod.spec, affinity: { nodeAffinity } } }, NodeNames: ['n1'] };
    const ask = async (bytes: Buffer): Promise<string> =>
      String((await post(`${world.url}/scheduler/filter`, bytes)).status);
    expect(await millisOfServer(ask, Buffer.from(JSON.stringify(asked)))).toBeLessThan(MOST_CPU_MILLIS);
    await world.stop();
  });

  test.each([
    ['3,000 node names of 5,000 characters', list(3000, JSON.stringify('x'.repeat(5000)))],
    ['a node name of 15 MB', list(1, JSON.stringify('x'.repeat(15_000_000)))],
  ])('refuses %s without a stall', async (_, names) => {
    const world = await ExtenderWorld.start();
    const body = Buffer.from(`{"Pod":${JSON.stringify(wirePod('web'))},"NodeNames":${names}}`);
    const statuses = new Set<string>();
    const ask = async (bytes: Buffer): Promise<string> => {
      const { status } = await post(`${world.url}/scheduler/prioritize`, bytes);
      statuses.add(String(status));
      return String(status);
    };
    expect(await millisOfServer(ask, body)).toBeLessThan(MOST_CPU_MILLIS);
    expect([...statuses]).toEqual(['400']);
    await world.stop();
  });
});
