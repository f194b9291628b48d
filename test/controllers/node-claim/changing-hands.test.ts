/** A node that `berth adopt` or `berth release` is at work on is left alone by the controllers, whatever it looks like. */
import { HANDOVER_ANNOTATION, KARPENTER_FINALIZER } from '../../../src/domain/nodes/handover.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { ClaimWorld, TYPES } from './claim-world.js';

const ADOPTING = new Map([[HANDOVER_ANNOTATION, 'adopting']]);
const RELEASING = new Map([[HANDOVER_ANNOTATION, 'releasing']]);
const MINUTES_TEN = 600;

/** One claim that was launched and is Ready. */
async function readyWorld(): Promise<ClaimWorld> {
  const world = new ClaimWorld();
  world.start();
  await world.launchGroup(['general-1']);
  await world.seconds(20);
  return world;
}

test('nothing is launched for the NodeClaim of an adoption that was killed before its instance was written down', async () => {
  const world = new ClaimWorld();
  world.start();
  const requirements = [requirement('node.kubernetes.io/instance-type', 'In', TYPES)];
  const claim = nodeClaim({ name: 'adopted', annotations: ADOPTING, spec: { requirements } });
  world.kube.objects.put('NodeClaim', claim);
  await world.seconds(MINUTES_TEN);
  expect(world.liveInstances()).toEqual([]);
  expect(world.claim('adopted')).toMatchObject({ deletionTimestamp: undefined, status: claim.status });
});

test('an instance whose tag is gone already, or was not there yet, is not missed', async () => {
  const world = await readyWorld();
  const claim = world.claim('general-1') ?? nodeClaim();
  const elsewhere = { ...claim.status, providerID: 'aws:///eu-west-3a/i-of-karpenter' };
  world.kube.objects.put('NodeClaim', { ...claim, annotations: RELEASING, status: elsewhere });
  await world.seconds(MINUTES_TEN);
  expect(world.claim('general-1')?.deletionTimestamp).toBeUndefined();
});

test('a NodeClaim that is deleted during a release keeps its instance', async () => {
  const world = await readyWorld();
  const claim = world.claim('general-1') ?? nodeClaim();
  world.kube.objects.put('NodeClaim', { ...claim, annotations: RELEASING });
  await world.kube.deleteNodeClaim(world.claim('general-1') ?? claim);
  await world.seconds(MINUTES_TEN);
  expect(world.liveInstances()).toHaveLength(1);
});

test('a Node that was given back is not taken again, although its NodeClaim still looks as it did', async () => {
  const world = await readyWorld();
  const node = world.nodeOf('general-1');
  if (node === undefined) throw new Error('the claim has a node');
  world.kube.objects.put('Node', { ...node, finalizers: [KARPENTER_FINALIZER] });
  await world.seconds(MINUTES_TEN);
  expect(world.nodeOf('general-1')?.finalizers).toEqual([KARPENTER_FINALIZER]);
  expect(world.claim('general-1')?.deletionTimestamp).toBeUndefined();
});

test('a NodeClaim whose finalizer was removed, so that its instance stays, does not get it back', async () => {
  const world = await readyWorld();
  const claim = world.claim('general-1') ?? nodeClaim();
  world.kube.objects.put('NodeClaim', { ...claim, finalizers: [] });
  await world.seconds(MINUTES_TEN);
  expect(world.claim('general-1')?.finalizers).toEqual([]);
  await world.kube.deleteNodeClaim(world.claim('general-1') ?? claim);
  expect(world.liveInstances()).toHaveLength(1);
});
