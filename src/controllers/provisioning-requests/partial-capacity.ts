/** Checks of capacity with the parameter partialCapacityCheck: each pod set of a request counts for itself. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Plan } from '../../planning/plan.js';

interface FittingSets {
  /** Indexes of the sets that there is room for, ascending. */
  readonly sets: readonly number[];
  readonly pods: readonly ObservedPod[];
  /** Places all of these pods; undefined where there are none. */
  readonly plan: Plan | undefined;
  /** Why the first of the others has no room; undefined where all have. */
  readonly refused: Plan | undefined;
}

/**
 * The sets that there is room for, each with all of its pods, beside those before it in the request's order. A set that does not fit
 * takes nothing from those after it.
 */
export async function fittingSets(
  all: readonly (readonly ObservedPod[])[],
  planOf: (pods: readonly ObservedPod[]) => Promise<Plan>,
): Promise<FittingSets> {
  let found: FittingSets = { sets: [], pods: [], plan: undefined, refused: undefined };
  for (const [index, set] of all.entries()) {
    const pods = [...found.pods, ...set];
    const plan = await planOf(pods);
    found =
      plan.placements.length === pods.length
        ? { ...found, sets: [...found.sets, index], pods, plan }
        : { ...found, refused: found.refused ?? plan };
  }
  return found;
}
