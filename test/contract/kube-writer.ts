/** What every KubeWriter promises: laws that a test file runs against its writer. */
import { NEW_CLAIM_STATUS, TERMINATION_FINALIZER } from '../../src/domain/nodes/node-claim.js';
import type { ObservedNode } from '../../src/domain/nodes/observed-node.js';
import { PINNED_ANNOTATION } from '../../src/domain/pods/gate.js';
import type { ObservedPod } from '../../src/domain/pods/observed-pod.js';
import type { KubeWriter } from '../../src/ports/kube-writer.js';
import { hasCode, type PortErrorCode } from '../../src/ports/port-error.js';
import { decisionSpec } from '../support/builders/decision.js';
import { nodeClaim } from '../support/builders/node-claim.js';
import { policyStatus } from '../support/builders/policy-status.js';
import { reservationEntry } from '../support/builders/reservation.js';

/** A writer and its API server; a new one for each law. */
export interface WriterUnderTest {
  readonly kube: KubeWriter;
  /** Creates a node with the label `old` and the taint `karpenter.sh/unregistered:NoExecute`. */
  readonly addNode: (name: string) => Promise<ObservedNode>;
  /** Creates a pod in namespace default that has no node. */
  readonly addPod: (name: string) => Promise<ObservedPod>;
  /** Creates one that has Berth's scheduling gate. */
  readonly addGatedPod: (name: string) => Promise<ObservedPod>;
  /** Binds it to a node, and has it run there. */
  readonly bind: (pod: ObservedPod, nodeName: string) => Promise<void>;
  /** Whether a PodDisruptionBudget forbids evictions from now on. */
  readonly protect: (pod: ObservedPod, isProtected: boolean) => void;
}

export interface WriterLaw {
  /** The end of a sentence that begins with the writer's name. */
  readonly behaviour: string;
  readonly expectOf: (world: WriterUnderTest) => Promise<void>;
}

export const WRITER_LAWS: readonly WriterLaw[] = [
  { behaviour: 'keeps a deleted NodeClaim until its finalizer is removed', expectOf: expectClaimLife },
  { behaviour: 'refuses NodeClaims that exist, have changed or are gone', expectOf: expectClaimRefused },
  { behaviour: 'creates, replaces and deletes Reservations by their version', expectOf: expectReservation },
  { behaviour: 'patches of a node only what the patch names', expectOf: expectNodePatch },
  { behaviour: 'keeps a deleted node until its last finalizer is removed', expectOf: expectNodeLife },
  { behaviour: 'nominates pods that are not bound, and takes nominations back', expectOf: expectNomination },
  { behaviour: 'annotates pods, keeping the annotations they have', expectOf: expectAnnotation },
  { behaviour: 'removes its scheduling gate for one node in one write', expectOf: expectUngated },
  {
    behaviour: 'adds tolerations of held nodes, of which templates know nothing',
    expectOf: expectTolerations,
  },
  { behaviour: 'evicts pods unless a budget forbids it, and deletes them anyway', expectOf: expectEviction },
  { behaviour: 'creates, replaces and deletes PolicyStatuses', expectOf: expectPolicyStatus },
  { behaviour: 'creates Decisions, adds their outcome and deletes them', expectOf: expectDecision },
];

async function expectCode(work: Promise<unknown>, code: PortErrorCode): Promise<void> {
  const answer: unknown = await work.then(
    () => 'no error',
    (error: unknown) => error,
  );
  expect(hasCode(answer, code) ? code : answer).toBe(code);
}

async function expectClaimLife({ kube }: WriterUnderTest): Promise<void> {
  const { name, labels, annotations, spec } = nodeClaim({ name: 'lived', labels: new Map([['a', 'b']]) });
  const created = await kube.createNodeClaim({ name, labels, annotations, spec });
  expect(created).toMatchObject({ name, labels, spec, finalizers: [TERMINATION_FINALIZER] });
  expect(created.status).toEqual(NEW_CLAIM_STATUS);
  const status = { ...created.status, nodeName: 'n1', hourlyPrice: 0.0963 };
  const written = await kube.putNodeClaimStatus(created, status);
  expect(written).toEqual({ ...created, resourceVersion: written.resourceVersion, status });
  expect(await kube.readNodeClaim(name)).toEqual(written);
  expect(await kube.readNodeClaim('unheard-of')).toBeUndefined();
  const annotated = await kube.annotateNodeClaim(created, { 'example.com/a': 'b' });
  expect(annotated).toMatchObject({ status, annotations: new Map([...annotations, ['example.com/a', 'b']]) });
  const labelled = await kube.labelNodeClaim(annotated, { 'example.com/l': 'm', a: null });
  expect(labelled).toMatchObject({ status, labels: new Map([['example.com/l', 'm']]) });
  const bare = await kube.releaseNodeClaim(labelled);
  expect(bare.finalizers).toEqual([]);
  const held = await kube.holdNodeClaim(bare);
  expect(held.finalizers).toEqual([TERMINATION_FINALIZER]);
  const dying = await kube.deleteNodeClaim(created);
  expect(dying?.deletionTimestamp).toBeDefined();
  expect((await kube.deleteNodeClaim(created))?.deletionTimestamp).toBe(dying?.deletionTimestamp);
  expect(await kube.releaseNodeClaim(held)).toMatchObject({ finalizers: [] });
  await expectCode(kube.deleteNodeClaim(created), 'NotFound');
}

async function expectClaimRefused({ kube }: WriterUnderTest): Promise<void> {
  const claim = nodeClaim({ name: 'contested' });
  const first = await kube.createNodeClaim(claim);
  await expectCode(kube.createNodeClaim(claim), 'AlreadyExists');
  await kube.putNodeClaimStatus(first, { ...first.status, nodeName: 'n' });
  await expectCode(kube.putNodeClaimStatus(first, first.status), 'Conflict');
  await expectCode(kube.releaseNodeClaim({ ...first, uid: 'another' }), 'Conflict');
  await expectCode(kube.deleteNodeClaim({ ...first, uid: 'another' }), 'NotFound');
  await kube.releaseNodeClaim(first);
  await expectCode(kube.releaseNodeClaim(first), 'Conflict');
  expect(await kube.deleteNodeClaim(first)).toBeUndefined();
  const absent = nodeClaim({ name: 'absent' });
  await expectCode(kube.deleteNodeClaim(absent), 'NotFound');
  await expectCode(kube.putNodeClaimStatus(absent, first.status), 'NotFound');
}

async function expectReservation({ kube }: WriterUnderTest): Promise<void> {
  const target = { kind: 'Node', name: 'n1' } as const;
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
  await expectCode(kube.deleteReservation(created), 'Conflict');
  await kube.deleteReservation(emptied);
  await expectCode(kube.deleteReservation(emptied), 'NotFound');
  await expectCode(kube.putReservation(target, entries, emptied), 'NotFound');
}

async function expectNodePatch({ kube, addNode }: WriterUnderTest): Promise<void> {
  const node = await addNode('patched');
  const patched = await kube.patchNode(node, {
    labels: { 'karpenter.sh/nodepool': 'general', old: null },
    annotations: { seen: 'yes' },
    finalizers: { add: [TERMINATION_FINALIZER] },
  });
  expect(patched.labels.get('karpenter.sh/nodepool')).toBe('general');
  expect(patched.labels.has('old')).toBe(false);
  expect(patched.annotations.get('seen')).toBe('yes');
  expect(patched.finalizers).toEqual([TERMINATION_FINALIZER]);
  expect(patched.taints).toEqual(node.taints);
  const guarded = await kube.patchNode(patched, { finalizers: { add: ['example.com/guard'] } });
  expect(guarded.finalizers).toEqual([TERMINATION_FINALIZER, 'example.com/guard']);
  const added = { key: 'late', value: '', effect: 'NoSchedule' } as const;
  const tainted = await kube.patchNode(patched, { taints: { add: [added], remove: patched.taints } });
  expect(tainted.taints).toEqual([added]);
  await expectCode(kube.patchNode(patched, { taints: { remove: patched.taints } }), 'Conflict');
  expect((await kube.patchNode(tainted, { taints: { remove: [added] } })).taints).toEqual([]);
  await expectCode(kube.patchNode({ ...tainted, uid: 'another' }, { labels: { a: 'b' } }), 'Conflict');
}

async function expectNodeLife({ kube, addNode }: WriterUnderTest): Promise<void> {
  const node = await addNode('kept');
  const held = await kube.patchNode(node, { finalizers: { add: [TERMINATION_FINALIZER] } });
  await expectCode(kube.deleteNode({ ...held, uid: 'another' }), 'NotFound');
  const kept = await kube.deleteNode(held);
  expect(kept?.deletionTimestamp).toBeDefined();
  const last = await kube.patchNode(held, { finalizers: { remove: held.finalizers } });
  expect(last).toMatchObject({ finalizers: [], deletionTimestamp: kept?.deletionTimestamp });
  await expectCode(kube.deleteNode(held), 'NotFound');
  await expectCode(kube.patchNode(held, { labels: { a: 'b' } }), 'NotFound');
  expect(await kube.deleteNode(await addNode('free'))).toBeUndefined();
}

async function expectNomination({ kube, addNode, addPod, bind }: WriterUnderTest): Promise<void> {
  await addNode('n1');
  const pending = await addPod('nominated');
  const nominated = await kube.nominatePod(pending, 'n1');
  expect(nominated.nominatedNodeName).toBe('n1');
  await expectCode(kube.nominatePod(pending, 'n2'), 'Conflict');
  const cleared = await kube.nominatePod(nominated, undefined);
  expect(cleared.nominatedNodeName).toBeUndefined();
  await expectCode(kube.nominatePod({ ...cleared, uid: 'another' }, 'n2'), 'Conflict');
  await bind(cleared, 'n1');
  await expectCode(kube.nominatePod(cleared, 'n2'), 'Conflict');
}

async function expectAnnotation({ kube, addPod }: WriterUnderTest): Promise<void> {
  const pod = await kube.annotatePod(await addPod('annotated'), { 'berth.sh/woken': '1' });
  expect(pod.annotations.get('berth.sh/woken')).toBe('1');
  const again = await kube.annotatePod(pod, { 'berth.sh/woken': '2', 'berth.sh/refused': '3' });
  expect(Object.fromEntries(again.annotations)).toEqual({ 'berth.sh/woken': '2', 'berth.sh/refused': '3' });
  await expectCode(kube.annotatePod({ ...again, uid: 'another' }, { 'berth.sh/woken': '4' }), 'Conflict');
  const foreign = await kube.annotatePod(await addPod('foreign'), { 'example.com/a': 'b' });
  expect(foreign.isAnnotated).toBe(true);
  const both = await kube.annotatePod(foreign, { 'berth.sh/woken': '1' });
  expect(both.annotations.get('berth.sh/woken')).toBe('1');
}

async function expectUngated({ kube, addGatedPod }: WriterUnderTest): Promise<void> {
  const gated = await addGatedPod('gated');
  expect(gated.awaitsPlace).toBe(true);
  const annotations = { [PINNED_ANNOTATION]: 'host-1' };
  await expectCode(kube.ungatePod({ ...gated, uid: 'another' }, { annotations }), 'Conflict');
  const pinned = await kube.ungatePod(gated, { hostname: 'host-1', annotations });
  expect(pinned).toMatchObject({ awaitsPlace: false, schedulingGated: false, pinnedTo: 'host-1' });
  await expectCode(kube.ungatePod(gated, { annotations }), 'Conflict');
  const free = await kube.ungatePod(await addGatedPod('free'), { annotations: { 'berth.sh/refused': '1' } });
  expect(free).toMatchObject({ awaitsPlace: false, pinnedTo: undefined });
}

async function expectTolerations({ kube, addPod }: WriterUnderTest): Promise<void> {
  const pod = await addPod('tolerating');
  expect(pod.toleratedHolds).toEqual([]);
  await expectCode(kube.toleratePod({ ...pod, uid: 'another' }, 'uid-1'), 'Conflict');
  const once = await kube.toleratePod(pod, 'uid-1');
  expect(once.toleratedHolds).toEqual(['uid-1']);
  // Its template has none of them.
  expect(once.spec).toEqual(pod.spec);
  const twice = await kube.toleratePod(once, 'uid-2');
  expect(twice.toleratedHolds).toEqual(['uid-1', 'uid-2']);
}

async function expectEviction({ kube, addNode, addPod, bind, protect }: WriterUnderTest): Promise<void> {
  await addNode('n1');
  const pod = await addPod('guarded');
  await bind(pod, 'n1');
  protect(pod, true);
  await expectCode(kube.evictPod(pod), 'Blocked');
  protect(pod, false);
  await expectCode(kube.evictPod({ ...pod, uid: 'another' }), 'NotFound');
  await expectCode(kube.deletePod({ ...pod, uid: 'another' }, 0), 'NotFound');
  await kube.evictPod(pod);
  await kube.deletePod(pod, 0).catch(() => undefined);
  await expectCode(kube.evictPod(pod), 'NotFound');
  await expectCode(kube.deletePod(pod, 0), 'NotFound');
}

async function expectPolicyStatus({ kube }: WriterUnderTest): Promise<void> {
  const { kind, policy, lastAccepted, conditions, resources } = policyStatus({ policy: 'spot' });
  const content = { ...{ kind, policy, lastAccepted, conditions, resources }, driftedNodes: 1 };
  const created = await kube.putPolicyStatus(content, undefined);
  expect(created).toMatchObject({ ...content, name: 'nodepool.spot' });
  await expectCode(kube.putPolicyStatus(content, undefined), 'AlreadyExists');
  const replaced = await kube.putPolicyStatus({ ...content, driftedNodes: 2 }, created);
  expect(replaced.driftedNodes).toBe(2);
  await expectCode(kube.putPolicyStatus({ ...content, driftedNodes: 3 }, created), 'Conflict');
  await kube.deletePolicyStatus(replaced);
  await expectCode(kube.deletePolicyStatus(replaced), 'NotFound');
}

async function expectDecision({ kube }: WriterUnderTest): Promise<void> {
  const spec = decisionSpec();
  const created = await kube.createDecision('d-1', spec);
  expect(created).toMatchObject({ name: 'd-1', spec, outcome: '' });
  await expectCode(kube.createDecision('d-1', spec), 'AlreadyExists');
  const done = await kube.putDecisionStatus(created, { outcome: 'Done' });
  expect(done.outcome).toBe('Done');
  await expectCode(kube.putDecisionStatus(created, { outcome: 'Failed' }), 'Conflict');
  const progress = { phase: 'Approved', by: 'ana', since: Date.UTC(2026, 0, 1) } as const;
  expect(await kube.putDecisionStatus(done, { progress })).toMatchObject({ outcome: 'Done', progress });
  await kube.deleteDecision(done);
  await expectCode(kube.deleteDecision(done), 'NotFound');
}
