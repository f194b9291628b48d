/** Pods that are planned together: those that kube-scheduler found no node for, and those that it is late with. */
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { demandOf } from '../../../src/state/planning/demand.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';

const WEB = { kind: 'ReplicaSet', name: 'web' };
const CREATED = observedPod().createdAt;

/** kube-scheduler has not tried it. */
function untried(name: string, overrides: ObservedPodOverrides = {}): ObservedPod {
  return observedPod({ name, uid: name, scheduled: undefined, ...overrides });
}

function unschedulable(name: string, overrides: ObservedPodOverrides = {}): ObservedPod {
  return unschedulablePod({ name, uid: name, ...overrides });
}

function demand(pods: readonly ObservedPod[], secondsLater = 0, held: readonly string[] = []): string[] {
  const cluster = new Cluster();
  for (const pod of pods) cluster.put('Pod', pod);
  if (held.length > 0)
    cluster.put('Reservation', reservation({ entries: held.map((podUID) => reservationEntry({ podUID })) }));
  return demandOf(cluster, CREATED + secondsLater * 1000).map(({ name }) => name);
}

test('a pod that kube-scheduler has not tried is no demand alone, however long it takes', () => {
  expect(demand([untried('a'), untried('b')], 600)).toEqual([]);
});

test('pods of the same owner and template come with one that is unschedulable', () => {
  const pods = [
    unschedulable('web-1', { owner: WEB }),
    untried('web-2', { owner: WEB }),
    untried('api-1', { owner: { kind: 'ReplicaSet', name: 'api' } }),
    untried('web-1-elsewhere', { owner: WEB, namespace: 'other' }),
    untried('bare'),
  ];
  expect(demand(pods)).toEqual(['web-1', 'web-2']);
});

test('pods with Berth’s scheduling gate want a place at once, though kube-scheduler never looks at them', () => {
  const scheduled = { status: false, reason: 'SchedulingGated', message: '' };
  const pods = [
    untried('gated', { awaitsPlace: true, scheduled }),
    untried('by-others', { schedulingGated: true, scheduled }),
  ];
  expect(demand(pods)).toEqual(['gated']);
});

test('a pod that was let go to one node is not planned for another', () => {
  expect(demand([unschedulable('pinned', { pinnedTo: 'node-1' })])).toEqual([]);
});

test('pods without an owner are no siblings of each other', () => {
  expect(demand([unschedulable('a'), untried('b')])).toEqual(['a']);
});

test('pods that kube-scheduler is three seconds late with come with any that is unschedulable', () => {
  const pods = [unschedulable('a'), untried('late'), untried('new', { createdAt: CREATED + 2000 })];
  expect(demand(pods, 2)).toEqual(['a']);
  expect(demand(pods, 3)).toEqual(['a', 'late']);
  expect(demand(pods, 5)).toEqual(['a', 'late', 'new']);
});

test('pods for which room is held do not come again, nor do those of other schedulers', () => {
  const pods = [
    unschedulable('web-1', { owner: WEB }),
    untried('held', { owner: WEB }),
    untried('foreign', { owner: WEB, schedulerName: 'mine' }),
    untried('gated', { owner: WEB, schedulingGated: true }),
  ];
  expect(demand(pods, 60, ['held'])).toEqual(['web-1']);
});
