import { BurstWatch } from '../../../src/controllers/provisioning/burst-watch.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { Workload } from '../../../src/domain/pods/workload.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { unschedulablePod, unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import { VirtualClock } from '../../support/virtual-clock.js';

function watching(): {
  readonly watch: BurstWatch;
  readonly clock: VirtualClock;
  readonly see: (...pods: readonly ObservedPod[]) => void;
  readonly want: (name: string, wantedPods: number, createdPods: number) => void;
} {
  const cluster = new Cluster();
  const clock = new VirtualClock();
  const watch = new BurstWatch({ cluster, clock });
  cluster.pods.subscribe((change) => {
    watch.podChanged(change);
    if (change.after?.scheduled !== undefined) watch.gathered(change.after);
  });
  cluster.workloads.subscribe((change) => {
    watch.workloadChanged(change);
  });
  const see = (...pods: readonly ObservedPod[]): void => {
    for (const pod of pods) cluster.put('Pod', pod);
  };
  const want = (name: string, wantedPods: number, createdPods: number): void => {
    const workload: Workload = { kind: 'ReplicaSet', namespace: 'default', name, wantedPods, createdPods };
    cluster.put('Workload', workload);
  };
  return { watch, clock, see, want };
}

describe('BurstWatch', () => {
  test('nothing gathered is no burst', () => {
    const { watch, want } = watching();
    want('web', 0, 0);
    expect(watch.isComplete()).toBe(false);
  });

  test('complete when each owner has as many pods as it wants, whichever news comes first', () => {
    const { watch, see, want } = watching();
    see(...unschedulableReplicas(3, { name: 'web' }));
    expect(watch.isComplete()).toBe(false);
    want('web', 3, 3);
    expect(watch.isComplete()).toBe(true);
    see(...unschedulableReplicas(1, { name: 'api' }));
    expect(watch.isComplete()).toBe(false);
    want('api', 2, 2);
    expect(watch.isComplete()).toBe(false);
    see(...unschedulableReplicas(2, { name: 'api' }));
    expect(watch.isComplete()).toBe(true);
  });

  test('not complete while another workload makes pods, unless it has stood still', async () => {
    const { watch, clock, see, want } = watching();
    see(...unschedulableReplicas(1, { name: 'web' }));
    want('web', 1, 1);
    want('other', 5, 2);
    expect(watch.isComplete()).toBe(false);
    await clock.advance(2000);
    expect(watch.isComplete()).toBe(true);
  });

  test('more pods than wanted tell that what is known of the owner is old', () => {
    const { watch, see, want } = watching();
    want('web', 1, 1);
    see(...unschedulableReplicas(2, { name: 'web' }));
    expect(watch.isComplete()).toBe(false);
  });

  test('a pod without owner is never known to be the last', () => {
    const { watch, see } = watching();
    see(unschedulablePod());
    expect(watch.isComplete()).toBe(false);
  });

  test('finished and terminating pods are not those that were wanted', () => {
    const { watch, see, want } = watching();
    const [first, second, ...others] = unschedulableReplicas(4, { name: 'web' });
    want('web', 2, 2);
    see(...others);
    if (first !== undefined) see({ ...first, phase: 'Failed' });
    if (second !== undefined) see({ ...second, terminating: true });
    expect(watch.isComplete()).toBe(true);
  });

  test('what comes after a reset is another burst', () => {
    const { watch, see, want } = watching();
    want('web', 1, 1);
    see(...unschedulableReplicas(1, { name: 'web' }));
    watch.reset();
    expect(watch.isComplete()).toBe(false);
  });
});
