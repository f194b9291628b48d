/** Gangs of a cluster as planning gets them: whole, and as large as whoever made them says. */
import type { PodGang } from '../../../src/domain/pods/gang.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { demandOf } from '../../../src/state/planning/demand.js';
import { planInput } from '../../../src/state/planning/plan-input.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../../support/builders/reservation.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';

const GANG: PodGang = { key: 'PodGroup default/train', minMembers: undefined };
const OWNER = { kind: 'Job', name: 'train' };
/** When the pods were created: kube-scheduler is not late with any. */
const CREATED = observedPod().createdAt;

function member(name: string, overrides: ObservedPodOverrides = {}): ObservedPod {
  return unschedulablePod({ name, uid: name, gang: GANG, ...overrides });
}

function clusterOf(...pods: readonly ObservedPod[]): Cluster {
  const cluster = new Cluster();
  for (const pod of pods) cluster.put('Pod', pod);
  return cluster;
}

function gangsIn(cluster: Cluster): ReturnType<typeof planInput>['gangs'] {
  return planInput(cluster, { demand: demandOf(cluster, CREATED), pools: [], typesOf: () => [] }).gangs;
}

describe('the gangs of the input', () => {
  test('are as large as their PodGroup says, and none where there is no such object', () => {
    const cluster = clusterOf(member('a'));
    expect(gangsIn(cluster)).toEqual([]);
    cluster.put('PodGroup', { namespace: 'default', name: 'train', minMembers: 4 });
    expect(gangsIn(cluster)).toEqual([{ key: GANG.key, minMembers: 4 }]);
    cluster.put('PodGroup', { namespace: 'default', name: 'train', minMembers: 2 });
    expect(gangsIn(cluster)).toEqual([{ key: GANG.key, minMembers: 2 }]);
  });

  test('are as large as all Jobs of theirs run at once, also when their pods do not say so', () => {
    const cluster = clusterOf(member('a', { gang: undefined, owner: OWNER }));
    for (const [name, wantedPods] of [
      ['train', 3],
      ['other', 2],
    ] as const)
      cluster.put('Workload', {
        ...{ kind: 'Job', namespace: 'default', name, wantedPods, createdPods: 1 },
        gang: 'JobSet default/whole',
      });
    expect(gangsIn(cluster)).toEqual([{ key: 'JobSet default/whole', minMembers: 5 }]);
    const input = planInput(cluster, { demand: demandOf(cluster, CREATED), pools: [], typesOf: () => [] });
    expect(input.pods.map(({ gang }) => gang?.key)).toEqual(['JobSet default/whole']);
  });
});

describe('demand', () => {
  test('has the members of a gang together, those too that kube-scheduler has said nothing of', () => {
    const cluster = clusterOf(
      member('asks'),
      member('waits', { scheduled: undefined }),
      observedPod({ name: 'alone', uid: 'alone', scheduled: undefined }),
      member('runs', { nodeName: 'node' }),
      member('other', { scheduled: undefined, gang: { ...GANG, key: 'PodGroup default/other' } }),
    );
    expect(demandOf(cluster, CREATED).map(({ name }) => name)).toEqual(['asks', 'waits']);
  });

  test('leaves out members for whom room is held', () => {
    const cluster = clusterOf(member('asks'), member('held', { scheduled: undefined }));
    cluster.put('Reservation', reservation({ entries: [reservationEntry({ podUID: 'held' })] }));
    expect(demandOf(cluster, CREATED).map(({ name }) => name)).toEqual(['asks']);
  });

  test('waits until some member asks', () => {
    expect(demandOf(clusterOf(member('a', { scheduled: undefined })), CREATED)).toEqual([]);
  });
});
