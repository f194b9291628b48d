/** What is said of pods that cannot be evicted. */
import { describeBlocked } from '../../../src/controllers/node-claim/termination/blocked-pods.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { podDisruptionBudget } from '../../support/builders/disruption-input.js';
import { selecting } from '../../support/builders/constraints.js';
import { observedPod } from '../../support/builders/observed-pod.js';

const OWNER = { kind: 'ReplicaSet', name: 'web' };
const WEB = observedPod({ name: 'web-1', labels: { app: 'web' }, owner: OWNER });

function clusterWith(wantedPods: number, desiredHealthy: number, ...names: readonly string[]): Cluster {
  const cluster = new Cluster();
  cluster.put('Workload', {
    ...OWNER,
    kind: 'ReplicaSet',
    namespace: 'default',
    wantedPods,
    createdPods: wantedPods,
  });
  const status = { disruptionsAllowed: 0, currentHealthy: desiredHealthy, desiredHealthy, isCurrent: true };
  for (const name of names)
    cluster.put(
      'PodDisruptionBudget',
      podDisruptionBudget({ name, selector: selecting({ app: 'web' }), status }),
    );
  return cluster;
}

test('a budget that can never allow an eviction is named with the owner of the pod and what would help', () => {
  expect(describeBlocked(clusterWith(1, 1, 'guard'), [WEB])).toBe(
    'PodDisruptionBudget default/guard does not allow to evict default/web-1: ReplicaSet web has 1 replica, and 1 must be healthy; run more replicas, or allow fewer healthy ones',
  );
});

test('a budget that waits for other pods says so', () => {
  expect(describeBlocked(clusterWith(3, 2, 'guard'), [WEB])).toBe(
    'PodDisruptionBudget default/guard does not allow to evict default/web-1: 2 pods of ReplicaSet web must be healthy; it waits until more of them are',
  );
});

test('several budgets for one pod are named, and so is a pod whose budget is not known', () => {
  const other = observedPod({ name: 'other-1', labels: { app: 'other' } });
  expect(describeBlocked(clusterWith(3, 2, 'two', 'one'), [WEB, other])).toBe(
    'PodDisruptionBudgets do not allow to evict default/other-1; several PodDisruptionBudgets (default/one, default/two) match default/web-1, which the eviction API does not support; leave one',
  );
});
