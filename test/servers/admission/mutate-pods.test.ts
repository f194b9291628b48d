/** /mutate-pods as kube-apiserver asks it. */
import { labels } from '../../support/builders/pod.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { clusterWith, patchOf, review, stored } from './asked.js';
import { serveWebhooks, type Webhooks } from './webhooks.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import type { Clock } from '../../../src/ports/clock.js';

const open: Webhooks[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ listener }) => listener.close(0)));
});

async function served(cluster: Cluster, clock?: Clock): Promise<Webhooks> {
  const webhooks = await serveWebhooks(cluster, { clock });
  open.push(webhooks);
  return webhooks;
}

function defaults(name: string, spec: string): string {
  return `apiVersion: berth.sh/v1\nkind: PodDefaults\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

const pod = {
  metadata: { generateName: 'web-' },
  spec: { containers: [{ name: 'main' }], schedulerName: 'default-scheduler' },
};

async function outcomes({ metrics }: Webhooks): Promise<Readonly<Record<string, number>>> {
  const { values } = await metrics.admissionRequests.get();
  return Object.fromEntries(
    values.map(({ labels: of, value }) => [`${String(of.webhook)} ${String(of.outcome)}`, value]),
  );
}

test('a pod is answered with a patch, by its uid, and counted', async () => {
  const webhooks = await served(
    clusterWith({ policies: { 'a.yaml': defaults('arm', '{architecture: arm64}') } }),
  );
  const response = await webhooks.ask('/mutate-pods', review({ object: pod, name: undefined }));
  expect(response).toMatchObject({ uid: 'review-1', allowed: true, patchType: 'JSONPatch' });
  expect(patchOf(response)).toEqual([
    { op: 'add', path: '/spec/nodeSelector', value: { 'kubernetes.io/arch': 'arm64' } },
    { op: 'add', path: '/metadata/annotations', value: { 'berth.sh/stamped': '{"architecture":"arm"}' } },
  ]);
  expect(await outcomes(webhooks)).toEqual({ 'mutate-pods stamped': 1 });
  expect((await webhooks.metrics.admissionDuration.get()).values.some(({ value }) => value > 0)).toBe(true);
});

test('documents count from the moment when they are seen until they are gone', async () => {
  const cluster = clusterWith();
  const webhooks = await served(cluster);
  const patch = async () => patchOf(await webhooks.ask('/mutate-pods', review({ object: pod }))).length;
  expect(await patch()).toBe(0);
  cluster.put('PolicyConfigMap', stored('policies', { a: defaults('arm', '{architecture: arm64}') }));
  expect(await patch()).toBe(2);
  cluster.delete('PolicyConfigMap', 'policies');
  expect(await patch()).toBe(0);
  expect(await outcomes(webhooks)).toEqual({ 'mutate-pods unchanged': 2, 'mutate-pods stamped': 1 });
});

test('namespaces are judged by their labels, found by the namespace of the request', async () => {
  const cluster = clusterWith({
    policies: {
      a: defaults('arm', '{architecture: arm64, namespaceSelector: {matchLabels: {team: retail}}}'),
    },
  });
  cluster.put('Namespace', { name: 'shop', uid: 'u', labels: labels({ team: 'retail' }) });
  cluster.put('Namespace', { name: 'bank', uid: 'v', labels: labels({ team: 'money' }) });
  const webhooks = await served(cluster);
  const isStamped = async (namespace: string) =>
    patchOf(await webhooks.ask('/mutate-pods', review({ object: pod, namespace }))).length > 0;
  expect([await isStamped('shop'), await isStamped('bank'), await isStamped('new')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('schedulerName is stamped while the Lease of berth-scheduler is held and fresh', async () => {
  const clock = new VirtualClock();
  const cluster = clusterWith({ policies: { a: defaults('scheduler', '{schedulerName: auto}') } });
  const webhooks = await served(cluster, clock);
  const isStamped = async () =>
    patchOf(await webhooks.ask('/mutate-pods', review({ object: pod }))).length > 0;
  const lease = {
    name: 'berth-scheduler',
    resourceVersion: '1',
    holder: 'a',
    acquiredAt: 0,
    renewedAt: clock.now(),
    durationSeconds: 15,
    transitions: 0,
  };
  expect(await isStamped()).toBe(false);
  cluster.put('Lease', lease);
  expect(await isStamped()).toBe(true);
  clock.freeze(15_000);
  expect(await isStamped()).toBe(true);
  clock.freeze(1);
  expect(await isStamped()).toBe(false);
  cluster.put('Lease', { ...lease, renewedAt: clock.now(), holder: '', resourceVersion: '2' });
  expect(await isStamped()).toBe(false);
});

test('the scheduling gate is stamped from one leader to the next, and not when no replica has led for long', async () => {
  const clock = new VirtualClock();
  const cluster = clusterWith({ policies: { a: defaults('gated', '{schedulingGate: true}') } });
  const webhooks = await served(cluster, clock);
  const isStamped = async () =>
    patchOf(await webhooks.ask('/mutate-pods', review({ object: pod }))).length > 0;
  const lease = {
    name: 'berth',
    resourceVersion: '1',
    holder: 'a',
    acquiredAt: 0,
    renewedAt: clock.now(),
    durationSeconds: 15,
    transitions: 0,
  };
  expect(await isStamped()).toBe(false);
  cluster.put('Lease', lease);
  expect(await isStamped()).toBe(true);
  cluster.put('Lease', { ...lease, holder: '', resourceVersion: '2' });
  expect(await isStamped()).toBe(true);
  cluster.put('Lease', { ...lease, resourceVersion: '3' });
  clock.freeze(30_000);
  expect(await isStamped()).toBe(true);
  clock.freeze(1);
  expect(await isStamped()).toBe(false);
});

test('what is not the creation of a pod is let through as it is', async () => {
  const webhooks = await served(clusterWith({ policies: { a: defaults('arm', '{architecture: arm64}') } }));
  const odd = [
    review({ object: pod, operation: 'UPDATE' }),
    review({ object: pod, resource: { group: 'apps', version: 'v1', resource: 'deployments' } }),
    review({ object: pod, subResource: 'ephemeralcontainers' }),
    review({ object: null }),
    review({ object: pod, namespace: 'berth-system' }),
  ];
  for (const one of odd)
    expect(await webhooks.ask('/mutate-pods', one)).toEqual({ uid: 'review-1', allowed: true });
  expect(await outcomes(webhooks)).toEqual({ 'mutate-pods exempt': 5 });
});

test('a dry run is answered in the same way', async () => {
  const webhooks = await served(clusterWith({ policies: { a: defaults('arm', '{architecture: arm64}') } }));
  const answers = await Promise.all(
    [true, false].map((dryRun) => webhooks.ask('/mutate-pods', review({ object: pod, dryRun }))),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]).toHaveProperty('patch');
});

test('mode warn is reported and changes nothing', async () => {
  const webhooks = await served(
    clusterWith({ policies: { a: defaults('trial', '{architecture: arm64, mode: warn}') } }),
  );
  const response = await webhooks.ask('/mutate-pods', review({ object: pod }));
  expect(response).toEqual({
    uid: 'review-1',
    allowed: true,
    warnings: ['PodDefaults trial (mode warn) would stamp nodeSelector kubernetes.io/arch=arm64'],
  });
  expect(await outcomes(webhooks)).toEqual({ 'mutate-pods warned': 1 });
});

test('before all policies are known nothing is stamped', async () => {
  const cluster = new Cluster();
  cluster.put('PolicyConfigMap', stored('policies', { a: defaults('arm', '{architecture: arm64}') }));
  const webhooks = await served(cluster);
  expect(await webhooks.ask('/mutate-pods', review({ object: pod }))).toEqual({
    uid: 'review-1',
    allowed: true,
  });
  expect(await outcomes(webhooks)).toEqual({ 'mutate-pods not-synced': 1 });
});

test('should anything break, the pod is let through, counted and logged', async () => {
  const cluster = clusterWith();
  const webhooks = await served(cluster);
  Object.defineProperty(cluster.namespaces, 'get', {
    value: () => {
      throw new Error('broken');
    },
  });
  expect(await webhooks.ask('/mutate-pods', review({ object: pod }))).toEqual({
    uid: 'review-1',
    allowed: true,
  });
  expect(await outcomes(webhooks)).toEqual({ 'mutate-pods error': 1 });
  expect(webhooks.lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({ message: 'Webhook failed; admitted the object' }),
  ]);
});

test.each([
  ['a list', []],
  ['null', null],
  ['apiVersion', { kind: 'AdmissionReview', request: { uid: 'x' } }],
  ['"v1beta1"', { apiVersion: 'v1beta1', kind: 'AdmissionReview', request: { uid: 'x' } }],
  ['request.uid', { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }],
])('what is no AdmissionReview is refused with a word about %s', async (word, body) => {
  const webhooks = await served(clusterWith());
  await expect(webhooks.ask('/mutate-pods', body)).rejects.toThrow(`400 {"error":{"cause":"not-a-review"`);
  await expect(webhooks.ask('/mutate-pods', body)).rejects.toThrow(JSON.stringify(word).slice(1, -1));
});
