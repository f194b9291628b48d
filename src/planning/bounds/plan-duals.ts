/** Dual values by class of pods, and in the form in which anybody can check the lower bound with them. */
import { ANY_ZONE, type PlanDuals } from '../plan.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { pricedParts } from '../model/lower-bound.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';

/** As `PlanDuals`, by class; a class that is not listed is worth nothing. */
export interface ClassDuals {
  /** Groups of prices: USD/h per unit, R each. */
  readonly prices: readonly Float64Array[];
  readonly classes: readonly PricedClasses[];
  readonly slot?: { readonly classes: readonly PodClass[]; readonly price: number } | undefined;
}

/** Classes that have their prices from the same groups. */
export interface PricedClasses {
  readonly classes: readonly PodClass[];
  /** Zone or `*` → index into `prices`. */
  readonly zones: ReadonlyMap<string, number>;
}

/** The prices that prove `Problem.lowerBound`: one group per part of the problem, the same in all zones. */
export function aggregatedDuals(problem: Problem): ClassDuals {
  const classes = problem.classes.filter(({ blocked }) => blocked === undefined);
  const parts = pricedParts({ ...problem, classes }).filter(({ prices }) => prices.lowerBound > 0);
  return {
    prices: parts.map(({ prices }) => prices.perUnit),
    classes: parts.map((part, group) => ({ classes: part.classes, zones: new Map([[ANY_ZONE, group]]) })),
  };
}

/** By pod instead of by class. */
export function planDuals({ snapshot }: Problem, { prices, classes, slot }: ClassDuals): PlanDuals {
  return {
    prices: prices.map(
      (perUnit) =>
        new Map(
          snapshot.resources.flatMap((name, resource) => {
            const price = perUnit[resource] ?? 0;
            return price > 0 ? [[name, price] as const] : [];
          }),
        ),
    ),
    pods: classes.map((list) => ({ pods: podKeys(snapshot, list.classes), zones: list.zones })),
    ...(slot && { slot: { pods: podKeys(snapshot, slot.classes), perNode: 1, price: slot.price } }),
  };
}

function podKeys({ pods }: Snapshot, classes: readonly PodClass[]): readonly string[] {
  return classes.flatMap((each) => each.pods.map((pod) => pods.keys[pod] ?? '')).sort();
}
