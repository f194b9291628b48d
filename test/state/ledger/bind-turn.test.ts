/** Pods whose plan holds in one order only wait for their turn, and for nothing that will not come. */
import { waitsForOthers } from '../../../src/state/ledger/bind-turn.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';

/** Pod `late` waits for pod `first`; room is held for both. */
function world(): Cluster {
  const cluster = new Cluster();
  for (const name of ['first', 'late']) cluster.put('Pod', unschedulablePod({ name, uid: name }));
  const late = reservationEntry({ podUID: 'late', after: ['first'] });
  cluster.put('Reservation', reservation({ target: { kind: 'Node', name: 'a' }, entries: [late] }));
  const first = reservationEntry({ podUID: 'first' });
  cluster.put('Reservation', reservation({ target: { kind: 'Node', name: 'b' }, entries: [first] }));
  return cluster;
}

describe('a pod that must be bound after another', () => {
  test('waits while that one is planned and not bound', () => {
    const cluster = world();
    expect(waitsForOthers(cluster, 'late')).toBe(true);
    expect(waitsForOthers(cluster, 'first')).toBe(false);
    expect([...cluster.podsAfter('first')]).toEqual(['late']);
  });

  test('goes when that one is bound, being deleted, or planned no more', () => {
    const first = unschedulablePod({ name: 'first', uid: 'first' });
    for (const change of [{ nodeName: 'b' }, { terminating: true }]) {
      const cluster = world();
      cluster.put('Pod', { ...first, ...change });
      expect(waitsForOthers(cluster, 'late')).toBe(false);
    }
    const unplanned = world();
    unplanned.put('Reservation', reservation({ target: { kind: 'Node', name: 'b' }, entries: [] }));
    expect(waitsForOthers(unplanned, 'late')).toBe(false);
  });

  test('is forgotten with its room', () => {
    const cluster = world();
    cluster.put('Reservation', reservation({ target: { kind: 'Node', name: 'a' }, entries: [] }));
    expect([...cluster.podsAfter('first')]).toEqual([]);
    expect(waitsForOthers(cluster, 'late')).toBe(false);
  });
});
