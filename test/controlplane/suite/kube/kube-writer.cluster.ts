/** Each thing that Berth writes, against the real API server: done, refused for the right reason, and read back the same. */
import { kubeWriter } from '../../../../src/adapters/kube/writer/kube-writer.js';
import { KubeClient, KubeconfigSource } from '../../../../src/adapters/kube/transport/index.js';
import { decodeObservedNode } from '../../../../src/apis/kubernetes/nodes/observed-node.js';
import { decodeObservedPod } from '../../../../src/apis/kubernetes/pods/observed-pod.js';
import { TERMINATION_FINALIZER } from '../../../../src/domain/nodes/node-claim.js';
import type { ObservedNode } from '../../../../src/domain/nodes/observed-node.js';
import type { ObservedPod } from '../../../../src/domain/pods/observed-pod.js';
import type { CertificateStore } from '../../../../src/ports/certificate-store.js';
import type { KubeEvent, KubeWriter } from '../../../../src/ports/kube-writer.js';
import type { LeaseStore } from '../../../../src/ports/lease-store.js';
import { hasCode, type PortErrorCode } from '../../../../src/ports/port-error.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { decisionSpec } from '../../../support/builders/decision.js';
import { launchStatus, nodeClaim } from '../../../support/builders/node-claim.js';
import { amounts } from '../../../support/builders/pod.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../../support/builders/policy-status.js';
import { reservationEntry } from '../../../support/builders/reservation.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import {
  clusterScoped,
  MUTATING_WEBHOOKS,
  namespaced,
  NAMESPACES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '../../fixture/api/kube-object.js';
import { applyCustomResources } from '../apply-custom-resources.js';
import { podManifest } from '../manifests.js';

type Writer = KubeWriter & LeaseStore & CertificateStore;

const NAMESPACE = 'berth-system';
const NODE_CLAIMS = clusterScoped('berth.sh/v1', 'NodeClaim');
const POLICY_STATUSES = clusterScoped('berth.sh/v1', 'PolicyStatus', 'policystatuses');
const EVENTS = namespaced('events.k8s.io/v1', 'Event');
const SECRETS = namespaced('v1', 'Secret');

let cluster: ControlPlane;
let kube: Writer;
const clients: KubeClient[] = [];

function writerFor(user: string): Writer {
  const connection = new KubeconfigSource({ clock: systemClock, file: cluster.kubeconfig(user) });
  const client = new KubeClient({ connection, clock: systemClock, userAgent: 'berth/test' });
  clients.push(client);
  return kubeWriter({ client, namespace: NAMESPACE, reportingInstance: 'berth-0' });
}

beforeAll(async () => {
  cluster = await startControlPlane({
    controllers: ['serviceaccount-controller', 'disruption-controller'],
    users: { nobody: [] },
  });
  await applyCustomResources(cluster);
  await cluster.api.create(NAMESPACES, { metadata: { name: NAMESPACE } });
  kube = writerFor('admin');
});

afterAll(async () => {
  for (const client of clients) client.close();
  await cluster.stop();
});

async function expectCode(work: Promise<unknown>, code: PortErrorCode): Promise<void> {
  const answer: unknown = await work.then(
    () => 'no error',
    (error: unknown) => error,
  );
  expect(hasCode(answer, code) ? code : answer).toBe(code);
}

/** A pod that exists, as Berth sees it. */
async function existingPod(
  name: string,
  labels: Readonly<Record<string, string>> = {},
  nodeName?: string,
): Promise<ObservedPod> {
  const manifest = podManifest({ name, labels, ...(nodeName !== undefined && { spec: { nodeName } }) });
  await eventually('the ServiceAccount that pods need', () => cluster.api.create(PODS, manifest));
  return seenPod(name);
}

async function seenPod(name: string): Promise<ObservedPod> {
  const { value } = decodeObservedPod(await cluster.api.get(PODS, { name }));
  if (value === undefined) throw new Error(`pod ${name} cannot be read`);
  return value;
}

async function existingNode(name: string): Promise<ObservedNode> {
  const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }];
  const node = await cluster.api.create(NODES, {
    metadata: { name, labels: { old: 'yes' } },
    spec: { taints },
  });
  const { value } = decodeObservedNode(node);
  if (value === undefined) throw new Error(`node ${name} cannot be read`);
  return value;
}

describe('a NodeClaim', () => {
  test('is created with its finalizer, told how it is, kept until it is released, and gone then', async () => {
    const { name, labels, annotations, spec } = nodeClaim({ name: 'lived', labels: new Map([['a', 'b']]) });
    const created = await kube.createNodeClaim({ name, labels, annotations, spec });
    expect(created).toMatchObject({ name, labels, spec, finalizers: [TERMINATION_FINALIZER] });

    const status = {
      ...nodeClaim().status,
      launch: launchStatus({ answeredAt: Date.UTC(2026, 0, 1) }),
      capacity: amounts({ cpu: '1930m', memory: '7133Mi', pods: '29' }),
      hourlyPrice: 0.0963,
    };
    const told = await kube.putNodeClaimStatus(created, status);
    expect(told).toEqual({ ...created, resourceVersion: told.resourceVersion, status });
    const cleared = await kube.putNodeClaimStatus(told, nodeClaim().status);
    expect(cleared.status).toEqual(nodeClaim().status);

    const bare = await kube.releaseNodeClaim(cleared);
    await expect(kube.holdNodeClaim(bare)).resolves.toMatchObject({ finalizers: [TERMINATION_FINALIZER] });
    const dying = await kube.deleteNodeClaim(cleared);
    expect(dying?.deletionTimestamp).toBeDefined();
    await expect(kube.releaseNodeClaim(cleared)).resolves.toMatchObject({ finalizers: [] });
    await expect(cluster.api.find(NODE_CLAIMS, { name })).resolves.toBeUndefined();
  });

  test('is not written over what another client wrote, created twice, or found when it is not there', async () => {
    const claim = nodeClaim({ name: 'contested' });
    const first = await kube.createNodeClaim(claim);
    await expectCode(kube.createNodeClaim(claim), 'AlreadyExists');
    await kube.putNodeClaimStatus(first, { ...first.status, nodeName: 'n' });
    await expectCode(kube.putNodeClaimStatus(first, first.status), 'Conflict');
    await expectCode(kube.releaseNodeClaim({ ...first, uid: 'another' }), 'Conflict');
    await expectCode(kube.deleteNodeClaim({ ...first, uid: 'another' }), 'NotFound');
    await expect(kube.releaseNodeClaim(first)).resolves.toMatchObject({ finalizers: [] });
    await expectCode(kube.releaseNodeClaim(first), 'Conflict');
    await expect(kube.deleteNodeClaim(first)).resolves.toBeUndefined();
    await expectCode(kube.deleteNodeClaim(nodeClaim({ name: 'absent' })), 'NotFound');
    await expectCode(kube.putNodeClaimStatus(nodeClaim({ name: 'absent' }), first.status), 'NotFound');
  });

  test('is refused where the definition forbids it, and where the rights are missing', async () => {
    const bad = nodeClaim({ name: 'bad', spec: { nodePool: '' } });
    await expectCode(kube.createNodeClaim(bad), 'Invalid');
    await expectCode(writerFor('nobody').createNodeClaim(nodeClaim()), 'Forbidden');
  });
});

describe('a Reservation', () => {
  const target = { kind: 'Node', name: 'n1' } as const;

  test('is created, replaced as a whole, and deleted', async () => {
    const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: 'h' };
    const entries = [
      reservationEntry(),
      reservationEntry({ owner, count: 3, expiresAt: Date.UTC(2026, 0, 1) }),
    ];
    const created = await kube.putReservation(target, entries, undefined);
    expect(created).toMatchObject({ name: 'node.n1', target, entries });
    await expectCode(kube.putReservation(target, entries, undefined), 'AlreadyExists');
    const emptied = await kube.putReservation(target, [], created);
    expect(emptied.entries).toEqual([]);
    await expectCode(kube.putReservation(target, entries, created), 'Conflict');
    // Somebody may have put an entry in since.
    await expectCode(kube.deleteReservation(created), 'Conflict');
    await kube.deleteReservation(emptied);
    await expectCode(kube.deleteReservation(emptied), 'NotFound');
    await expectCode(kube.putReservation(target, entries, emptied), 'NotFound');
  });
});

describe('a Node', () => {
  test('is patched where the patch says something, and nowhere else', async () => {
    const node = { ...(await existingNode('patched')), volumeLimits: new Map([['ebs.csi.aws.com', 25]]) };
    const patched = await kube.patchNode(node, {
      labels: { 'karpenter.sh/nodepool': 'general', old: null },
      annotations: { seen: 'yes' },
      finalizers: { add: [TERMINATION_FINALIZER] },
    });
    expect(patched.labels.get('karpenter.sh/nodepool')).toBe('general');
    expect(patched.labels.has('old')).toBe(false);
    expect(patched.annotations.get('seen')).toBe('yes');
    expect(patched.finalizers).toEqual([TERMINATION_FINALIZER]);
    expect(patched.taints).toContainEqual(node.taints[0]);
    expect(patched.volumeLimits).toEqual(node.volumeLimits);
    // What others write at the same moment is no conflict, unless it is the same thing.
    const guarded = await kube.patchNode(patched, {
      annotations: { 'example.com/seen': 'yes' },
      finalizers: { add: ['example.com/guard'] },
    });
    expect(guarded.annotations.get('example.com/seen')).toBe('yes');
    expect(guarded.finalizers).toEqual([TERMINATION_FINALIZER, 'example.com/guard']);
    const [added, ...others] = [{ key: 'late', value: '', effect: 'NoSchedule' } as const, ...patched.taints];
    const tainted = await kube.patchNode(patched, { taints: { add: [added], remove: others } });
    expect(tainted.taints).toEqual([added]);
    await expectCode(kube.patchNode(patched, { taints: { remove: others } }), 'Conflict');
    const bare = await kube.patchNode(tainted, { taints: { remove: [added] } });
    expect(bare.taints).toEqual([]);
    await expectCode(kube.patchNode({ ...bare, uid: 'another' }, { labels: { a: 'b' } }), 'Conflict');
    // Finalizers keep it.
    const kept = await kube.deleteNode(bare);
    expect(kept?.deletionTimestamp).toBeDefined();
    const last = await kube.patchNode(guarded, { finalizers: { remove: guarded.finalizers } });
    expect(last).toMatchObject({ finalizers: [], deletionTimestamp: kept?.deletionTimestamp });
    await expectCode(kube.deleteNode(bare), 'NotFound');
    await expectCode(kube.patchNode(bare, { labels: { a: 'b' } }), 'NotFound');
  });

  test('of the same name as the one that is meant stays', async () => {
    const node = await existingNode('replaced');
    await expectCode(kube.deleteNode({ ...node, uid: 'another' }), 'NotFound');
    await expect(cluster.api.get(NODES, { name: 'replaced' })).resolves.toBeDefined();
  });
});

describe('a Pod', () => {
  test('is nominated, and the nomination taken back', async () => {
    const seen = await existingPod('nominated');
    // Whatever else is written to it meanwhile.
    await cluster.api.patchStatus(PODS, { name: 'nominated' }, { type: 'merge', body: { status: RUNNING } });
    const pod = await kube.nominatePod(seen, 'n1');
    expect(pod.nominatedNodeName).toBe('n1');
    await expectCode(kube.nominatePod(seen, 'n2'), 'Conflict');
    const cleared = await kube.nominatePod(pod, undefined);
    expect(cleared.nominatedNodeName).toBeUndefined();
    await expectCode(kube.nominatePod({ ...cleared, uid: 'another' }, 'n2'), 'Conflict');
  });

  test('that has been bound is not nominated', async () => {
    const bound = await existingPod('bound', {}, 'n1');
    await expectCode(kube.nominatePod({ ...bound, nodeName: undefined }, 'n2'), 'Conflict');
  });

  test('is annotated', async () => {
    const pod = await kube.annotatePod(await existingPod('annotated'), { 'berth.sh/woken': '1' });
    expect(pod.annotations.get('berth.sh/woken')).toBe('1');
    const again = await kube.annotatePod(pod, { 'berth.sh/woken': '2', 'berth.sh/refused': '3' });
    expect(Object.fromEntries(again.annotations)).toEqual({ 'berth.sh/woken': '2', 'berth.sh/refused': '3' });
    await expectCode(kube.annotatePod({ ...again, uid: 'another' }, { 'berth.sh/woken': '4' }), 'Conflict');
  });

  test('is annotated where it has only annotations of others', async () => {
    const foreign = await kube.annotatePod(await existingPod('foreign'), { 'example.com/a': 'b' });
    expect(foreign).toMatchObject({ annotations: new Map(), isAnnotated: true });
    await kube.annotatePod(foreign, { 'berth.sh/woken': '1' });
    const { metadata } = await cluster.api.get(PODS, { name: 'foreign' });
    expect(metadata.annotations).toMatchObject({ 'example.com/a': 'b', 'berth.sh/woken': '1' });
  });

  test('is evicted unless a budget forbids it', async () => {
    const pod = await existingPod('guarded', { app: 'guarded' });
    await cluster.api.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'guard' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    });
    await eventually('the budget to be counted', async () => {
      const { status } = await cluster.api.get(POD_DISRUPTION_BUDGETS, { name: 'guard' });
      return status.observedGeneration === 1;
    });
    // A pod that was never bound is evicted whatever budgets say (Kubernetes: API-initiated eviction).
    await cluster.api.patchStatus(PODS, { name: 'guarded' }, { type: 'merge', body: { status: RUNNING } });
    await expectCode(kube.evictPod(pod), 'Blocked');
    await cluster.api.delete(POD_DISRUPTION_BUDGETS, { name: 'guard' });
    await eventually('the budget to be forgotten', async () => {
      await kube.evictPod(pod);
      return true;
    });
    await expectCode(kube.evictPod(pod), 'NotFound');
  });

  test('is not evicted where several budgets are about it, although none forbids it', async () => {
    const pod = await existingPod('shared', { app: 'shared' }, 'n1');
    for (const name of ['one', 'two'])
      await cluster.api.create(POD_DISRUPTION_BUDGETS, {
        metadata: { name },
        spec: { minAvailable: 0, selector: { matchLabels: { app: 'shared' } } },
      });
    await cluster.api.patchStatus(PODS, { name: 'shared' }, { type: 'merge', body: { status: RUNNING } });
    await expectCode(kube.evictPod(pod), 'Blocked');
    await cluster.api.delete(POD_DISRUPTION_BUDGETS, { name: 'two' });
    // Of two budgets the disruption controller looks at any one when the pod changes, and at the other when that is changed itself.
    const body = { metadata: { labels: { alone: 'yes' } } };
    await cluster.api.patch(POD_DISRUPTION_BUDGETS, { name: 'one' }, { type: 'merge', body });
    await eventually('one budget to be counted', async () => {
      await kube.evictPod(pod);
      return true;
    });
  });

  test('that took the name of the one that is meant is neither evicted nor deleted', async () => {
    const pod = { ...(await existingPod('successor')), uid: 'another' };
    await expectCode(kube.evictPod(pod), 'NotFound');
    await expectCode(kube.deletePod(pod, 0), 'NotFound');
    await expect(cluster.api.get(PODS, { name: 'successor' })).resolves.toBeDefined();
  });

  test('is deleted past the hard stop', async () => {
    const pod = await existingPod('stopped');
    await kube.deletePod(pod, 0);
    await expect(cluster.api.find(PODS, { name: 'stopped' })).resolves.toBeUndefined();
  });
});

const RUNNING = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

describe('a PolicyStatus', () => {
  const { kind, policy, lastAccepted } = policyStatus({ policy: 'spot' });
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: Date.UTC(2026, 0, 1),
  } as const;
  const content = {
    ...{ kind, policy, lastAccepted },
    conditions: [ready],
    resources: amounts({ nodes: '2', cpu: '4' }),
    driftedNodes: 1,
  };

  test('is created with its status, replaced without its annotations being lost, and left alone when it is right', async () => {
    const created = await kube.putPolicyStatus(content, undefined);
    expect(created).toMatchObject({ ...content, name: 'nodepool.spot' });
    await expectCode(kube.putPolicyStatus(content, undefined), 'AlreadyExists');

    const annotations = { 'berth.sh/delete': 'drain' };
    const body = { metadata: { annotations } };
    const { metadata } = await cluster.api.patch(
      POLICY_STATUSES,
      { name: created.name },
      { type: 'merge', body },
    );
    await expectCode(
      kube.putPolicyStatus({ ...content, lastAccepted: undefined, conditions: [] }, created),
      'Conflict',
    );

    const known = { ...created, resourceVersion: metadata.resourceVersion };
    const changed = { ...content, lastAccepted: acceptedPolicy(nodePoolDocument('spot', { weight: 7 })) };
    const replaced = await kube.putPolicyStatus({ ...changed, conditions: [] }, known);
    expect(replaced).toMatchObject({
      ...changed,
      conditions: [],
      annotations: new Map(Object.entries(annotations)),
    });
    const same = await kube.putPolicyStatus({ ...changed, conditions: [] }, replaced);
    expect(same.resourceVersion).toBe(replaced.resourceVersion);

    await kube.deletePolicyStatus(replaced);
    await expectCode(kube.deletePolicyStatus(replaced), 'NotFound');
  });
});

describe('a Decision', () => {
  test('is created, told what came of it, and deleted', async () => {
    const related = [
      { kind: 'Node', namespace: '', name: 'ip-10-0-0-1' },
      { kind: 'Pod', namespace: 'shop', name: 'web-1' },
    ];
    const spec = decisionSpec({ saving: 0.1, considered: 'two others', trigger: 'a pod', related });
    const created = await kube.createDecision('made', spec);
    expect(created).toMatchObject({ name: 'made', spec, outcome: '' });
    await expectCode(kube.createDecision('made', spec), 'AlreadyExists');
    const done = await kube.putDecisionStatus(created, { outcome: 'Launched' });
    expect(done).toMatchObject({ spec, outcome: 'Launched' });
    await expectCode(kube.putDecisionStatus(created, { outcome: 'Failed' }), 'Conflict');
    await kube.deleteDecision(done);
    await expectCode(kube.deleteDecision(done), 'NotFound');
  });
});

describe('an Event', () => {
  const event: KubeEvent = {
    name: 'general-1.launched',
    regarding: { apiVersion: 'berth.sh/v1', kind: 'NodeClaim', namespace: '', name: 'general-1', uid: 'u' },
    type: 'Normal',
    reason: 'Launched',
    action: 'Launch',
    note: 'ä'.repeat(1_000),
    time: Date.UTC(2026, 0, 1),
    count: 1,
  };

  test('is created in namespace default for what has none, and then counted', async () => {
    await kube.createEvent(event);
    const created = await cluster.api.get(EVENTS, { name: event.name });
    expect(created).toMatchObject({
      reportingController: 'berth.sh/berth',
      reportingInstance: 'berth-0',
      reason: 'Launched',
      regarding: { kind: 'NodeClaim', name: 'general-1' },
    });
    expect(created['note']).toMatch(/^ä{510}…$/);
    await expectCode(kube.createEvent(event), 'AlreadyExists');
    await kube.repeatEvent({ ...event, count: 5, time: event.time + 60_000 });
    const repeated = await cluster.api.get(EVENTS, { name: event.name });
    expect(repeated['series']).toEqual({ count: 5, lastObservedTime: '2026-01-01T00:01:00.000000Z' });
    await expectCode(kube.repeatEvent({ ...event, name: 'absent', count: 2 }), 'NotFound');
  });

  test('of a pod is in the namespace of the pod', async () => {
    const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE, name: 'p', uid: 'u' };
    await kube.createEvent({ ...event, name: 'p.nominated', regarding });
    const created = await cluster.api.get(EVENTS, { name: 'p.nominated', namespace: NAMESPACE });
    expect(created['regarding']).toMatchObject({ namespace: NAMESPACE });
  });
});

describe('a Lease', () => {
  const held = {
    name: 'berth',
    holder: 'berth-0',
    acquiredAt: Date.UTC(2026, 0, 1, 0, 0, 0, 123),
    renewedAt: Date.UTC(2026, 0, 1, 0, 0, 5, 7),
    durationSeconds: 15,
    transitions: 1,
  };

  test('is read, created, replaced and released', async () => {
    await expect(kube.readLease('berth')).resolves.toBeUndefined();
    const created = await kube.createLease(held);
    expect(created).toMatchObject(held);
    await expectCode(kube.createLease(held), 'AlreadyExists');
    const released = { ...held, holder: '', renewedAt: held.renewedAt + 1, durationSeconds: 1 };
    const replaced = await kube.replaceLease(created, released);
    expect(replaced).toMatchObject(released);
    await expectCode(kube.replaceLease(created, held), 'Conflict');
    await expect(kube.readLease('berth')).resolves.toEqual(replaced);
  });
});

describe('certificates', () => {
  test('are kept in a Secret, whose other files and labels stay', async () => {
    await expect(kube.readCertificates()).resolves.toBeUndefined();
    const created = await kube.writeCertificates(
      new Map([
        ['ca.crt', 'one'],
        ['old', 'x'],
      ]),
      undefined,
    );
    expect(created.files.get('ca.crt')).toBe('one');
    await expectCode(kube.writeCertificates(new Map(), undefined), 'AlreadyExists');
    const body = { metadata: { labels: { by: 'user' } } };
    const ref = { name: 'berth-certificates', namespace: NAMESPACE };
    await cluster.api.patch(SECRETS, ref, { type: 'merge', body });
    await expectCode(kube.writeCertificates(new Map([['ca.crt', 'two']]), created), 'Conflict');
    const known = await kube.readCertificates();
    await kube.writeCertificates(new Map([['ca.crt', 'two']]), known);
    const read = await kube.readCertificates();
    expect([...(read?.files ?? [])]).toEqual([['ca.crt', 'two']]);
    const secret = await cluster.api.get(SECRETS, ref);
    expect(secret.metadata.labels).toEqual({ by: 'user' });
  });

  test('have their authority published where it differs, and only there', async () => {
    // Nothing is installed yet.
    await expect(kube.publishAuthority(cluster.servingCertificate.ca)).resolves.toBeUndefined();
    const webhook = (name: string): object => ({
      name,
      clientConfig: { url: 'https://127.0.0.1:1/x' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Ignore',
      rules: [],
    });
    const name = 'berth-mutate-pods';
    const webhooks = [webhook('a.berth.sh'), webhook('b.berth.sh')];
    await cluster.api.create(MUTATING_WEBHOOKS, { metadata: { name }, webhooks });
    await kube.publishAuthority(cluster.servingCertificate.ca);
    const published = await cluster.api.get(MUTATING_WEBHOOKS, { name });
    const caBundle = Buffer.from(cluster.servingCertificate.ca).toString('base64');
    expect(published['webhooks']).toMatchObject([
      { clientConfig: { caBundle } },
      { clientConfig: { caBundle } },
    ]);
    await kube.publishAuthority(cluster.servingCertificate.ca);
    const untouched = await cluster.api.get(MUTATING_WEBHOOKS, { name });
    expect(untouched.metadata.resourceVersion).toBe(published.metadata.resourceVersion);
  });
});
