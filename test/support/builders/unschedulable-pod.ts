/** Pods that kube-scheduler has looked at and found no node for, for tests. */
import type { ObservedPod, ScheduledCondition } from '../../../src/domain/pods/observed-pod.js';
import { observedPod, type ObservedPodOverrides } from './observed-pod.js';

/** What kube-scheduler says then. */
export const UNSCHEDULABLE: ScheduledCondition = {
  status: false,
  reason: 'Unschedulable',
  message: '0/1 nodes are available: 1 Insufficient cpu.',
};

/** `default/pod`; `scheduled: undefined` takes the verdict away. */
export function unschedulablePod(overrides: ObservedPodOverrides = {}): ObservedPod {
  return observedPod({ scheduled: UNSCHEDULABLE, ...overrides });
}

/** `count` pods `<name>-0` … of one ReplicaSet `<name>`; they share one spec. */
export function unschedulableReplicas(
  count: number,
  overrides: ObservedPodOverrides = {},
): readonly ObservedPod[] {
  const { name = 'pod', ...rest } = overrides;
  const first = unschedulablePod({ owner: { kind: 'ReplicaSet', name }, ...rest, name });
  return Array.from({ length: count }, (_, index) => ({
    ...first,
    name: `${name}-${String(index)}`,
    uid: `uid-${first.namespace}-${name}-${String(index)}`,
  }));
}
