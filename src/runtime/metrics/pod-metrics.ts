/** What is measured of pods: Karpenter's names, labels and types. */
import { STARTUP_SECONDS, WORK_SECONDS, counter, gauge, histogram, summary } from './metric-factory.js';

/** Labels of karpenter_pods_state. */
export const POD_LABELS = [
  'name',
  'namespace',
  'owner',
  'node',
  'scheduled',
  'nodepool',
  'zone',
  'arch',
  'capacity_type',
  'instance_type',
  'phase',
  'ready',
  'managed',
] as const;
export type PodLabels = Readonly<Record<(typeof POD_LABELS)[number], string>>;

const POD = ['name', 'namespace'] as const;
const POD_DRA = [...POD, 'dynamic_resources'] as const;
const FIRST_SEEN = 'Berth first found a place for it';
const LONGEST = 'of the 100 pods that wait longest (--metrics-detail full: of all)';

export const POD_METRICS = {
  podsState: gauge(
    'karpenter_pods_state',
    'Number of pods that have not ended, by phase, ready, scheduled, namespace and the labels of their node; name, owner and node are given with --metrics-detail full only, which has a series for each pod.',
    POD_LABELS,
  ),
  podsStartupDuration: summary(
    'karpenter_pods_startup_duration_seconds',
    'Duration from the creation of a pod until it is ready.',
  ),
  podsUnstarted: gauge(
    'karpenter_pods_unstarted_time_seconds',
    `Time since the creation of a pod that is not ready yet, ${LONGEST}.`,
    POD,
  ),
  podsBoundDuration: histogram(
    'karpenter_pods_bound_duration_seconds',
    'Duration from the creation of a pod until it is bound, by whether it has resource claims.',
    STARTUP_SECONDS,
    ['dynamic_resources'],
  ),
  podsUnbound: gauge(
    'karpenter_pods_unbound_time_seconds',
    `Time since the creation of a pod that is not bound yet, ${LONGEST}.`,
    POD_DRA,
  ),
  podsProvisioningBoundDuration: histogram(
    'karpenter_pods_provisioning_bound_duration_seconds',
    `Duration from when ${FIRST_SEEN} until a pod is bound, by whether it has resource claims.`,
    STARTUP_SECONDS,
    ['dynamic_resources'],
  ),
  podsProvisioningUnbound: gauge(
    'karpenter_pods_provisioning_unbound_time_seconds',
    `Time since ${FIRST_SEEN} of a pod that is not bound yet, ${LONGEST}.`,
    POD_DRA,
  ),
  podsProvisioningStartupDuration: histogram(
    'karpenter_pods_provisioning_startup_duration_seconds',
    `Duration from when ${FIRST_SEEN} until a pod is ready.`,
    STARTUP_SECONDS,
  ),
  podsProvisioningUnstarted: gauge(
    'karpenter_pods_provisioning_unstarted_time_seconds',
    `Time since ${FIRST_SEEN} of a pod that is not ready yet, ${LONGEST}.`,
    POD,
  ),
  podsUndecided: gauge(
    'karpenter_pods_provisioning_scheduling_undecided_time_seconds',
    `Time for which a pod has waited to be planned, ${LONGEST}.`,
    POD,
  ),
  podsDecisionDuration: histogram(
    'karpenter_pods_scheduling_decision_duration_seconds',
    'Duration from when a pod is first seen until it is first planned, with or without a place.',
    [...WORK_SECONDS, 120, 300],
  ),
  evictionRequests: counter(
    'karpenter_pods_eviction_requests_total',
    'Number of eviction requests, by response code: 200, 429 when PodDisruptionBudgets do not allow the eviction, or 403, 409 or 422 when it is refused for another reason.',
    ['code'],
  ),
  podsDrained: counter(
    'karpenter_pods_drained_total',
    'Number of pods that left their node while it was drained, by the reason for which the NodeClaim goes, or Forceful Termination.',
    ['reason'],
  ),
};
