/** The proof of a plan's lower bound as `berth plan --duals` prints it. */
import { CPU } from '../../../../domain/values/resources.js';
import type { PlanDuals } from '../../../../planning/plan.js';

/** As `PlanDuals`, in Kubernetes' units: nothing is rounded, since the proof would not hold. */
export interface DualsDocument {
  /** USD/h per core, per byte, per piece of an extended resource; `pods`: per pod. What is not listed is free. */
  readonly prices: readonly Readonly<Record<string, number>>[];
  /** Zone (`*`: any other) → index into `prices`. In a zone that is not named the pods are worth nothing. */
  readonly pods: readonly {
    readonly zones: Readonly<Record<string, number>>;
    readonly pods: readonly string[];
  }[];
  /** Pods of which one instance holds `perNode` at most: each is worth `price` USD/h more. */
  readonly slot?: { readonly perNode: number; readonly price: number; readonly pods: readonly string[] };
}

/** Millicores per core: CPU is counted in these inside. */
const MILLI = 1000;

export function dualsDocument({ prices, pods, slot }: PlanDuals): DualsDocument {
  return {
    prices: prices.map((list) =>
      Object.fromEntries([...list].map(([name, price]) => [name, name === CPU ? price * MILLI : price])),
    ),
    pods: pods.map((list) => ({ zones: Object.fromEntries(list.zones), pods: list.pods })),
    ...(slot && { slot: { perNode: slot.perNode, price: slot.price, pods: slot.pods } }),
  };
}
