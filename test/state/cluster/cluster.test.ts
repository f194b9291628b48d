import fc from 'fast-check';
import { instanceID, LAUNCH_GROUP_ANNOTATION } from '../../../src/domain/nodes/node-claim.js';
import { hasCode } from '../../../src/ports/port-error.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { ownerKeyOf } from '../../../src/state/cluster/owner-key.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';

const INSTANCE = 'aws:///eu-west-3a/i-1';

describe('Cluster', () => {
  test('finds pods by uid and by node, through binding, replacement and deletion', () => {
    const cluster = new Cluster();
    cluster.put('Pod', observedPod({ name: 'a', uid: '1', resourceVersion: '1' }));
    expect(cluster.podsOn('n1')).toEqual([]);
    cluster.put('Pod', observedPod({ name: 'a', uid: '1', resourceVersion: '2', nodeName: 'n1' }));
    expect(cluster.podsOn('n1').map(({ uid }) => uid)).toEqual(['1']);
    cluster.put('Pod', observedPod({ name: 'a', uid: '2', resourceVersion: '3' }));
    expect(cluster.podsOn('n1')).toEqual([]);
    expect(cluster.podByUID('1')).toBeUndefined();
    expect(cluster.podByUID('2')?.name).toBe('a');
    cluster.delete('Pod', 'default/a');
    expect(cluster.podByUID('2')).toBeUndefined();
  });

  test('knows whether some pod asks for dedicated instances, until the last is gone', () => {
    const cluster = new Cluster();
    const nodeSelector = { 'karpenter.k8s.aws/instance-tenancy': 'dedicated' };
    const seen: boolean[] = [];
    const look = (): number => seen.push(cluster.hasPodsForDedicated);
    cluster.put('Pod', observedPod({ name: 'other', uid: '1' }));
    look();
    for (const name of ['a', 'b']) cluster.put('Pod', observedPod({ name, uid: name, nodeSelector }));
    look();
    cluster.delete('Pod', 'default/a');
    look();
    cluster.put('Pod', observedPod({ name: 'b', uid: 'replaced', resourceVersion: '9' }));
    look();
    expect(seen).toEqual([false, true, true, false]);
  });

  test('joins claims and nodes by their instance and never by name', () => {
    const cluster = new Cluster();
    cluster.put('Node', observedNode({ name: 'n1', providerID: INSTANCE }));
    cluster.put('NodeClaim', nodeClaim({ name: 'c1', status: { nodeName: 'n1' } }));
    expect(cluster.claimOfNode('n1')).toBeUndefined();
    cluster.put(
      'NodeClaim',
      nodeClaim({ name: 'c1', resourceVersion: '2', status: { providerID: INSTANCE } }),
    );
    expect(cluster.claimOfNode('n1')?.name).toBe('c1');
    expect(cluster.nodeOfClaim('c1')?.name).toBe('n1');
    expect(cluster.nodeByProviderID(INSTANCE)?.name).toBe('n1');
    expect(cluster.claimsOfInstance(instanceID(INSTANCE)).map(({ name }) => name)).toEqual(['c1']);
    expect(cluster.claimsOfInstance('i-unknown')).toEqual([]);
    cluster.delete('Node', 'n1');
    expect(cluster.nodeOfClaim('c1')).toBeUndefined();
  });

  test('finds the claims of a launch group by what their status says, else by their annotation', () => {
    const cluster = new Cluster();
    const annotations = new Map([[LAUNCH_GROUP_ANNOTATION, 'g1']]);
    const named = (group: string): readonly string[] => cluster.claimsOfGroup(group).map(({ name }) => name);
    cluster.put('NodeClaim', nodeClaim({ name: 'c1', uid: 'u1', annotations }));
    cluster.put('NodeClaim', nodeClaim({ name: 'c2', uid: 'u2', annotations }));
    cluster.put('NodeClaim', nodeClaim({ name: 'alone', uid: 'u3' }));
    expect([named('g1'), named('u3'), named('g2')]).toEqual([['c1', 'c2'], ['alone'], []]);
    const moved = nodeClaim({ name: 'c2', uid: 'u2', resourceVersion: '2', annotations });
    const launch = launchStatus({ group: 'g2' });
    cluster.put('NodeClaim', { ...moved, status: { ...moved.status, launch } });
    cluster.delete('NodeClaim', 'alone');
    expect([named('g1'), named('u3'), named('g2')]).toEqual([['c1'], [], ['c2']]);
  });

  test('finds the reservation of a pod by its own entry before one of its owner', () => {
    const cluster = new Cluster();
    const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'web', templateHash: 'h' };
    const pod = observedPod({ uid: 'p', owner: { kind: 'ReplicaSet', name: 'web' }, templateHash: 'h' });
    cluster.put('Pod', pod);
    const ofOwner = reservation({
      target: { kind: 'NodeClaim', name: 'a' },
      entries: [reservationEntry({ owner, count: 3 })],
    });
    cluster.put('Reservation', ofOwner);
    expect(cluster.reservationOf('p')?.reservation.name).toBe('nodeclaim.a');
    const own = reservation({
      target: { kind: 'Node', name: 'z' },
      entries: [reservationEntry({ podUID: 'p' })],
    });
    cluster.put('Reservation', own);
    expect(cluster.reservationOf('p')?.reservation.name).toBe('node.z');
    cluster.put('Reservation', { ...own, resourceVersion: '2', entries: [] });
    expect(cluster.reservationOf('p')?.reservation.name).toBe('nodeclaim.a');
    cluster.delete('Reservation', 'nodeclaim.a');
    expect(cluster.reservationOf('p')).toBeUndefined();
    expect(cluster.entriesOfOwner(ownerKeyOf(pod) ?? '')).toEqual([]);
  });

  test('answers the same in whatever order objects come', () => {
    const objects = [
      (cluster: Cluster) => {
        cluster.put('Node', observedNode({ name: 'b', providerID: INSTANCE }));
      },
      (cluster: Cluster) => {
        cluster.put('Node', observedNode({ name: 'a', providerID: INSTANCE }));
      },
      (cluster: Cluster) => {
        cluster.put('NodeClaim', nodeClaim({ name: 'd', status: { providerID: INSTANCE } }));
      },
      (cluster: Cluster) => {
        cluster.put('NodeClaim', nodeClaim({ name: 'c', status: { providerID: INSTANCE } }));
      },
      (cluster: Cluster) => {
        cluster.put('Reservation', reservation({ target: { kind: 'Node', name: 'b' } }));
      },
      (cluster: Cluster) => {
        cluster.put('Reservation', reservation({ target: { kind: 'Node', name: 'a' } }));
      },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (order) => {
        const cluster = new Cluster();
        for (const put of order) put(cluster);
        expect(cluster.nodeOfClaim('d')?.name).toBe('a');
        expect(cluster.claimOfNode('b')?.name).toBe('c');
        expect(cluster.reservationOf('uid-1')?.reservation.name).toBe('node.a');
      }),
    );
  });

  test('has indexes that are right before subscribers hear', () => {
    const cluster = new Cluster();
    const seen: (string | undefined)[] = [];
    cluster.pods.subscribe(({ after }) => {
      seen.push(cluster.podByUID(after?.uid ?? '')?.name);
    });
    cluster.put('Pod', observedPod({ name: 'a', uid: '1' }));
    expect(seen).toEqual(['a']);
  });

  test('tells when all kinds asked for have been listed', async () => {
    const cluster = new Cluster();
    const waiting = cluster.whenSynced(['Pod', 'Node'], new AbortController().signal);
    cluster.synced('Pod');
    expect(cluster.isSynced('Pod', 'Node')).toBe(false);
    cluster.synced('Node');
    await waiting;
    expect(cluster.isSynced('Pod', 'Node')).toBe(true);
  });

  test('gives up waiting when told to, and says for what it waited', async () => {
    const cluster = new Cluster();
    const abort = new AbortController();
    const waiting = cluster.whenSynced(['Pod', 'Node'], abort.signal);
    cluster.synced('Pod');
    abort.abort();
    const error: unknown = await waiting.catch((reason: unknown) => reason);
    expect(hasCode(error, 'Cancelled')).toBe(true);
    expect(String(error)).toContain('not synced: Node');
  });
});
