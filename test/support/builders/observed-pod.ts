/** Pods as the API server shows them, for tests: `observedPod({ name: 'web-0' })`, refused by kube-scheduler unless bound. */
import type { ObservedPod, ScheduledCondition } from '../../../src/domain/pods/observed-pod.js';
import { pod, type PodOverrides } from './pod.js';

export interface ObservedPodOverrides
  extends PodOverrides, Partial<Omit<ObservedPod, keyof PodOverrides | 'spec' | 'labels'>> {}

/** What kube-scheduler writes on a pod that fits nowhere. */
export const UNSCHEDULABLE: ScheduledCondition = {
  status: false,
  reason: 'Unschedulable',
  message: '0/0 nodes are available',
};

/** What the API server adds to a pod. */
type Observed = Omit<ObservedPod, keyof ReturnType<typeof pod>>;

/** `default/pod`, created at the start of 2026. */
export function observedPod(overrides: ObservedPodOverrides = {}): ObservedPod {
  return { ...pod(overrides), ...observed(overrides) };
}

function observed(overrides: ObservedPodOverrides): Observed {
  const bound: ScheduledCondition = { status: true, reason: '', message: '' };
  const usual = overrides.nodeName === undefined ? UNSCHEDULABLE : bound;
  return {
    resourceVersion: overrides.resourceVersion ?? '1',
    createdAt: overrides.createdAt ?? Date.UTC(2026, 0, 1),
    startedAt: overrides.startedAt,
    deletionTimestamp: overrides.deletionTimestamp,
    scheduled: 'scheduled' in overrides ? overrides.scheduled : usual,
    resizeDeferred: overrides.resizeDeferred === true,
    nominatedNodeName: overrides.nominatedNodeName,
    isAnnotated: overrides.isAnnotated ?? Object.keys(overrides.annotations ?? {}).length > 0,
    toleratedHolds: overrides.toleratedHolds ?? [],
    ready: overrides.ready ?? overrides.nodeName !== undefined,
    restarts: overrides.restarts ?? 0,
    terminationGracePeriodSeconds: overrides.terminationGracePeriodSeconds ?? 30,
    priorityClassName: overrides.priorityClassName,
    templateHash: overrides.templateHash ?? '',
  };
}
