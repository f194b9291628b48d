/** Pods of a node that was deleted: planned before they are evicted, and once. */
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';
import { mortalWriter } from '../../support/in-memory/mortal-writer.js';
import { ProvisioningWorld } from './provisioning-world.js';

const BATCH_MILLIS = 1100;
const WEB = { kind: 'ReplicaSet', name: 'web' };
const REQUESTS = { cpu: '1', memory: '1Gi' };
const PODS = 6;

function named(index: number, overrides: ObservedPodOverrides = {}): ObservedPod {
  const name = `web-${String(index)}`;
  const usual = { name, uid: name, owner: WEB, requests: REQUESTS };
  return observedPod({ ...usual, nodeName: 'old-node', ...overrides });
}

/** A full node whose claim is there, and the ReplicaSet of its pods. */
function worldWithFullNode(): ProvisioningWorld {
  const world = new ProvisioningWorld();
  const objects = world.kube.objects;
  objects.put('NodeClaim', nodeClaim({ name: 'old', status: { providerID: 'i-old', nodeName: 'old-node' } }));
  const allocatable = { cpu: '6', memory: '32Gi', pods: '58' };
  objects.put('Node', observedNode({ name: 'old-node', providerID: 'i-old', allocatable }));
  world.pods(Array.from({ length: PODS }, (_, index) => named(index)));
  scale(world, PODS);
  return world;
}

function scale(world: ProvisioningWorld, wantedPods: number): void {
  const workload = { kind: 'ReplicaSet' as const, namespace: 'default', name: 'web' };
  world.kube.objects.put('Workload', { ...workload, wantedPods, createdPods: PODS });
}

function deleteClaim(world: ProvisioningWorld): void {
  const [old] = world.claims().filter(({ name }) => name === 'old');
  if (old !== undefined)
    world.kube.objects.put('NodeClaim', {
      ...old,
      deletionTimestamp: world.clock.now(),
      resourceVersion: '900',
    });
}

function newClaims(world: ProvisioningWorld): readonly string[] {
  return world.claims().flatMap(({ name }) => (name === 'old' ? [] : name));
}

/** How many pods of the ReplicaSet room is held for. */
function heldCount(world: ProvisioningWorld): number {
  const entries = world.kube.objects.list('Reservation').flatMap((reservation) => reservation.entries);
  return entries.reduce((sum, { count }) => sum + count, 0);
}

/** The pod is evicted, and another comes in its place. */
function evict(world: ProvisioningWorld, index: number): void {
  world.kube.objects.put('Pod', named(index, { terminating: true, resourceVersion: '901' }));
  const name = `web-new-${String(index)}`;
  world.pods([unschedulablePod({ name, uid: name, owner: WEB, requests: REQUESTS })]);
}

test('what replaces a deleted node is launched while its pods still run, with room for as many', async () => {
  const world = worldWithFullNode();
  world.start();
  await world.clock.advance(BATCH_MILLIS);
  expect(newClaims(world)).toEqual([]);
  deleteClaim(world);
  await world.clock.advance(BATCH_MILLIS);
  expect(newClaims(world).length).toBeGreaterThan(0);
  expect(heldCount(world)).toBe(PODS);
});

test('the pods that come in the place of evicted ones take that room, and nothing is bought twice', async () => {
  const world = worldWithFullNode();
  world.start();
  deleteClaim(world);
  await world.clock.advance(BATCH_MILLIS);
  const launched = newClaims(world);
  for (let index = 0; index < PODS; index++) {
    evict(world, index);
    await world.clock.advance(index % 2 === 0 ? 300 : 2000);
    expect({ index, claims: newClaims(world), held: heldCount(world) }).toEqual({
      index,
      claims: launched,
      held: PODS,
    });
  }
  await world.clock.advance(5000);
  const uids = Array.from({ length: PODS }, (_, index) => `web-new-${String(index)}`);
  expect(world.heldPods()).toEqual(uids);
});

test('free capacity is used first', async () => {
  const world = worldWithFullNode();
  const allocatable = { cpu: '16', memory: '64Gi', pods: '58' };
  world.kube.objects.put('Node', observedNode({ name: 'free', allocatable }));
  world.start();
  deleteClaim(world);
  await world.clock.advance(BATCH_MILLIS);
  expect(newClaims(world)).toEqual([]);
  expect(Object.keys(world.held())).toEqual(['free']);
  expect(heldCount(world)).toBe(PODS);
});

test('pods that wait and pods of deleted nodes are planned in one batch', async () => {
  const world = worldWithFullNode();
  world.start();
  deleteClaim(world);
  world.pods([unschedulablePod({ name: 'other', uid: 'other', requests: REQUESTS })]);
  await world.clock.advance(BATCH_MILLIS);
  expect(heldCount(world)).toBe(PODS + 1);
  expect(world.heldPods()).toContain('other');
});

test('of an owner that is scaled to zero meanwhile the room goes', async () => {
  const world = worldWithFullNode();
  world.start();
  deleteClaim(world);
  await world.clock.advance(BATCH_MILLIS);
  expect(heldCount(world)).toBe(PODS);
  scale(world, 0);
  for (let index = 0; index < PODS; index++)
    world.kube.objects.put('Pod', named(index, { terminating: true, resourceVersion: '901' }));
  await world.clock.advance(20 * 60_000);
  expect(heldCount(world)).toBe(0);
});

test('pods of a deleted node that fit nowhere get no Decision, and are tried again', async () => {
  const world = worldWithFullNode();
  world.pods([named(0, { requests: { cpu: '500' }, resourceVersion: '2' })]);
  world.start();
  deleteClaim(world);
  await world.clock.advance(BATCH_MILLIS);
  expect(heldCount(world)).toBe(PODS - 1);
  expect(world.told.decisions.filter(({ subject }) => subject.kind === 'Pod')).toEqual([]);
  world.kube.objects.put('Pod', named(0, { resourceVersion: '3' }));
  await world.clock.advance(15_000);
  expect(heldCount(world)).toBe(PODS);
});

test('killed after any write, room is held for each pod once', async () => {
  for (let killedAfter = 0; killedAfter <= 6; killedAfter++) {
    const world = worldWithFullNode();
    deleteClaim(world);
    const mortal = mortalWriter(world.kube, killedAfter);
    world.start(mortal.kube);
    await world.clock.advance(5000);
    world.start();
    await world.clock.advance(5000);
    expect({ killedAfter, held: heldCount(world) }).toEqual({ killedAfter, held: PODS });
    const unused = newClaims(world).filter((name) => world.held()[name] === undefined);
    expect({ killedAfter, unused }).toEqual({ killedAfter, unused: [] });
  }
});
