/** Which evictions kube-scheduler may consider for a pod: the extender's verb `preempt`. */
import { areClaimsPlanned, demandStatus, type DemandTerms } from '../../domain/pods/demand.js';
import { belongsToNode } from './filter.js';
import type { PlacementPod, PlacementView } from './placement-view.js';

/** Pods that would be evicted from one node. */
export interface Victims {
  readonly uids: readonly string[];
  readonly numPDBViolations: number;
}

export interface PreemptOptions {
  /** Evict for pods although room for them is being planned or launched. */
  readonly preemptWhileLaunching: boolean;
  /** Which pods Berth plans. */
  readonly demandTerms: DemandTerms;
  /** How long after its creation at most a pod without a plan counts as being planned. */
  readonly planningMillis: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** On a pod that a plan had no place for: when that was last told, in milliseconds since 1970. */
export const REFUSED_ANNOTATION = 'berth.sh/refused';

const NO_VICTIMS: ReadonlyMap<string, Victims> = new Map();

/**
 * No pod is evicted for a pod that has a reservation or whose claim is being planned: its room is on the way. For
 * others, nodes drop out that `filter` would refuse though the victims were gone. kube-scheduler evicts at a pod's first
 * failure, before it can have been planned; so new pods wait for the plan, which either reserves room or marks the pod as
 * refused. The mark is on the pod itself: kube-scheduler sends it along, so that every replica knows of it in time.
 */
export function preempt(
  view: PlacementView,
  pod: PlacementPod,
  victims: ReadonlyMap<string, Victims>,
  options: PreemptOptions,
): ReadonlyMap<string, Victims> {
  if (belongsToNode(pod)) return victims;
  const places = view.placesOf(pod);
  if (!options.preemptWhileLaunching && (places.length > 0 || isBeingPlanned(pod, options)))
    return NO_VICTIMS;
  const planned = new Set(places.map(({ nodeName }) => nodeName));
  const kept = [...victims].filter(([nodeName, { uids }]) =>
    places.length > 0 ? planned.has(nodeName) : hasRoomWithout(view, pod, { nodeName, uids }),
  );
  return new Map(kept);
}

function isBeingPlanned(pod: PlacementPod, options: PreemptOptions): boolean {
  const isNew = options.now - pod.createdAt < options.planningMillis;
  if (!isNew || pod.annotations.has(REFUSED_ANNOTATION)) return false;
  return areClaimsPlanned(pod, options.demandTerms) && demandStatus(pod, options.demandTerms) === 'demand';
}

function hasRoomWithout(
  view: PlacementView,
  pod: PlacementPod,
  { nodeName, uids }: { nodeName: string; uids: readonly string[] },
): boolean {
  const node = view.node(nodeName);
  if (node === undefined) return true;
  if (node.leaving) return false;
  return !node.guarded || view.shortage(pod, node, uids) === 'none';
}
