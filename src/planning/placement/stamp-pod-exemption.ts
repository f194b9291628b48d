/** Pods that are never stamped, whatever the documents say. */
import { OWN_SCHEDULERS } from '../../domain/pods/demand.js';
import type { PodView } from './stamp-pod-view.js';

/** Why a pod is left alone. */
export type Exemption =
  'Namespace' | 'Ignored' | 'Mirror' | 'DaemonSet' | 'Bound' | 'ForeignScheduler' | 'Malformed';

/** As label or annotation of a pod, `"true"`. */
const IGNORE = 'berth.sh/ignore';
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** The first reason to leave the pod alone; undefined when it may be stamped. */
export function exemption(
  pod: PodView,
  { namespace, ownNamespace }: { readonly namespace: string; readonly ownNamespace: string },
): Exemption | undefined {
  // What runs there must start when Berth does not.
  if (namespace === 'kube-system' || namespace === ownNamespace) return 'Namespace';
  if (pod.labels.get(IGNORE) === 'true' || pod.annotations.get(IGNORE) === 'true') return 'Ignored';
  if (pod.annotations.has(MIRROR_ANNOTATION)) return 'Mirror';
  if (pod.ownerKinds.includes('DaemonSet')) return 'DaemonSet';
  if (pod.nodeName !== '') return 'Bound';
  const isOwn = pod.schedulerName === '' || OWN_SCHEDULERS.includes(pod.schedulerName);
  return isOwn ? undefined : 'ForeignScheduler';
}
