/** After a write the cluster in memory is as the API server answered, though no watch has told of it yet. */
import { ClusterWriter } from '../../src/controllers/cluster-writer.js';
import { TERMINATION_FINALIZER, type NodeClaim } from '../../src/domain/nodes/node-claim.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import { nodeClaim } from '../support/builders/node-claim.js';
import { observedNode } from '../support/builders/observed-node.js';
import { observedPod } from '../support/builders/observed-pod.js';
import { reservation } from '../support/builders/reservation.js';
import { InMemoryKube } from '../support/in-memory/in-memory-kube.js';
import { VirtualClock } from '../support/virtual-clock.js';

const { signal } = new AbortController();

/** A claim with its finalizer, a node with it, a pod and a reservation; the watch is silent from then on. */
function scene() {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  const cluster = new Cluster();
  kube.objects.watch(cluster);
  const finalizers = [TERMINATION_FINALIZER];
  const claim = kube.objects.put('NodeClaim', nodeClaim({ finalizers }));
  const node = kube.objects.put('Node', observedNode({ name: 'n1', finalizers }));
  const pod = kube.objects.put('Pod', observedPod({ name: 'p', uid: 'p' }));
  const held = kube.objects.put('Reservation', reservation());
  kube.objects.hold();
  return { kube, cluster, writer: new ClusterWriter({ kube, cluster }), claim, node, pod, held };
}

function known(cluster: Cluster, { name }: NodeClaim): NodeClaim {
  const claim = cluster.nodeClaims.get(name);
  if (claim === undefined) throw new Error(`claim ${name} is not known`);
  return claim;
}

test('a claim that is deleted is known to be leaving, and gone when it is released', async () => {
  const { cluster, writer, claim } = scene();
  await expect(writer.deleteClaim(claim, signal)).resolves.toBe(true);
  expect(known(cluster, claim).deletionTimestamp).toBeDefined();
  await expect(writer.releaseClaim(known(cluster, claim), signal)).resolves.toBe(true);
  expect(cluster.nodeClaims.size).toBe(0);
});

test('a status is known as it was written', async () => {
  const { cluster, writer, claim } = scene();
  await writer.updateStatus(claim, { nodeName: 'n1' }, signal);
  await writer.updateStatus(known(cluster, claim), { zone: 'eu-west-3a' }, signal);
  expect(known(cluster, claim).status).toMatchObject({ nodeName: 'n1', zone: 'eu-west-3a' });
});

test('a node that is released is gone', async () => {
  const { cluster, kube, writer, node } = scene();
  await expect(writer.releaseNode(node, signal)).resolves.toBe(true);
  expect(cluster.nodes.size).toBe(0);
  expect(kube.objects.list('Node')).toEqual([]);
});

test('a reservation that is deleted is gone, and late news of it do not bury its successor', async () => {
  const { cluster, kube, writer, held } = scene();
  await expect(writer.deleteReservation(held, signal)).resolves.toBe(true);
  expect(cluster.reservations.size).toBe(0);
  await writer.reserve(held.target, held.entries, { known: undefined, signal });
  const successor = cluster.reservations.get(held.name);
  expect(successor?.uid).not.toBe(held.uid);
  kube.objects.release();
  expect(cluster.reservations.get(held.name)).toEqual(successor);
});

test('what another client deleted first is gone too, and the writer reports it', async () => {
  const { cluster, kube, writer, claim, node, pod, held } = scene();
  for (const [kind, key] of [
    ['NodeClaim', claim.name],
    ['Node', node.name],
    ['Pod', 'default/p'],
    ['Reservation', held.name],
  ] as const)
    kube.objects.remove(kind, key);
  await expect(writer.deleteClaim(claim, signal)).resolves.toBe(false);
  await expect(writer.releaseNode(node, signal)).resolves.toBe(false);
  await expect(writer.evictPod(pod, signal)).resolves.toBe(false);
  await expect(writer.deleteReservation(held, signal)).resolves.toBe(false);
  const { nodeClaims, nodes, pods, reservations } = cluster;
  expect([nodeClaims.size, nodes.size, pods.size, reservations.size]).toEqual([0, 0, 0, 0]);
});

test('an evicted pod is there until a watch says otherwise', async () => {
  const { cluster, writer, pod } = scene();
  await expect(writer.evictPod(pod, signal)).resolves.toBe(true);
  expect(cluster.podByUID('p')).toBe(pod);
});

test('a nomination is known at once', async () => {
  const { cluster, writer, pod } = scene();
  await writer.nominatePod(pod, 'n1', signal);
  expect(cluster.podByUID('p')?.nominatedNodeName).toBe('n1');
});

test('other failures are those of the API server', async () => {
  const { kube, writer, claim } = scene();
  kube.fail({ method: 'deleteNodeClaim', code: 'Unavailable' });
  await expect(writer.deleteClaim(claim, signal)).rejects.toMatchObject({ code: 'Unavailable' });
});
