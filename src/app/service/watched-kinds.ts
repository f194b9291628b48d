/** What each role has to see of the cluster. */
import { DEVICE_KINDS, type ObservedKind } from '../../ports/cluster-feed.js';
import type { Role, ServiceOptions } from './options/service-options.js';

/** What kube-scheduler's questions are answered from: all that `berth extender` watches. */
export const EXTENDER_KINDS: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'NodeClaim',
  'Reservation',
  'PodGroup',
  'Lease',
];

/** What the dashboard shows. */
export const PAGE_KINDS: readonly ObservedKind[] = [
  ...EXTENDER_KINDS,
  'Namespace',
  'PolicyStatus',
  'Decision',
  'Observation',
];

const KINDS: Readonly<Record<Role, readonly ObservedKind[]>> = {
  loops: [
    ...EXTENDER_KINDS,
    'Namespace',
    'DaemonSet',
    'Workload',
    'PodTemplate',
    'ProvisioningRequest',
    'PodDisruptionBudget',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'StorageClass',
    'VolumeAttachment',
    'HorizontalPodAutoscaler',
    'CapacityBuffer',
    'PolicyConfigMap',
    'PolicyStatus',
    'Decision',
  ],
  webhooks: ['Namespace', 'PolicyConfigMap', 'PolicyStatus', 'Lease'],
  extender: EXTENDER_KINDS,
  metrics: [],
  dashboard: PAGE_KINDS,
};

/** The kinds of all these roles, each once; loops that only observe look at what they found before as well. */
export function watchedKinds({
  roles,
  mode,
  defaultSpread,
  plansDevices = false,
}: Pick<ServiceOptions, 'roles' | 'mode' | 'defaultSpread' | 'plansDevices'>): readonly ObservedKind[] {
  const found: readonly ObservedKind[] = mode === 'observe' ? ['Observation'] : [];
  // Nothing else asks which Services select a pod.
  const selecting: readonly ObservedKind[] = defaultSpread.length === 0 ? [] : ['Service'];
  const devices: readonly ObservedKind[] = plansDevices && roles.includes('loops') ? DEVICE_KINDS : [];
  return [...new Set([...roles.flatMap((role) => KINDS[role]), ...found, ...selecting, ...devices])];
}
