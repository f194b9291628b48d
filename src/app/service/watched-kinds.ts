/** What each role has to see of the cluster. */
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { Role } from './options/service-options.js';

/** What kube-scheduler's questions are answered from: all that `berth extender` watches. */
export const EXTENDER_KINDS: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'NodeClaim',
  'Reservation',
  'PodGroup',
  'Lease',
];

const KINDS: Readonly<Record<Role, readonly ObservedKind[]>> = {
  loops: [
    ...EXTENDER_KINDS,
    'Namespace',
    'DaemonSet',
    'Workload',
    'PodDisruptionBudget',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'StorageClass',
    'PolicyConfigMap',
    'PolicyStatus',
    'Decision',
  ],
  webhooks: ['Namespace', 'PolicyConfigMap', 'PolicyStatus', 'Lease'],
  extender: EXTENDER_KINDS,
  metrics: [],
  dashboard: [...EXTENDER_KINDS, 'Namespace', 'PolicyStatus', 'Decision'],
};

/** The kinds of all these roles, each once. */
export function watchedKinds(roles: readonly Role[]): readonly ObservedKind[] {
  return [...new Set(roles.flatMap((role) => KINDS[role]))];
}
