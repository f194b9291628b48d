/**
 * Berth's scheduling gate (level L1): a pod with it is not looked at by any scheduler. It is taken away together with a node
 * selector for the planned node, so that the pod cannot land elsewhere, whether Berth runs by then or not.
 */
import type { Pod } from './pod.js';

/** Name of the gate. */
export const PLAN_GATE = 'berth.sh/planned';
/** Annotation: the value of kubernetes.io/hostname that the pod was given as its node selector when its gate was removed. */
export const PINNED_ANNOTATION = 'berth.sh/pinned-to';

/** By its names: whether a pod has gates, and whether Berth's is the only one. */
export function gateState(names: readonly string[]): Pick<Pod, 'schedulingGated' | 'awaitsPlace'> {
  const awaitsPlace = names.length > 0 && names.every((name) => name === PLAN_GATE);
  return { schedulingGated: names.length > 0 && !awaitsPlace, awaitsPlace };
}
