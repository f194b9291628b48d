/** The answer of planning: where pods go, which nodes to launch for them, what cannot be placed and why. */
import type { CapacityType } from '../domain/nodes/instance-type.js';
import type { Labels } from '../domain/values/labels.js';
import type { ResourceList } from '../domain/values/resources.js';
import type { Reason } from './reason.js';

/** Where one pending pod goes; DaemonSet pods are not listed. */
export interface Placement {
  /** `namespace/name`. */
  readonly pod: string;
  /** An existing node, or a claim of this plan. */
  readonly target: { readonly kind: 'Node' | 'NodeClaim'; readonly name: string };
  /** Pods of the plan, `namespace/name`, that must be bound before it; absent where any order of binding will do. */
  readonly after?: readonly string[] | undefined;
}

/** A plan that failed the proof and was replaced: a defect of planning without consequences. */
export interface PlanRepair {
  /** The rule that it broke, as `Refutation.rule`. */
  readonly rule: string;
  /** Where and how, in words. */
  readonly detail: string;
  /** What was done: packed pod by pod without the optimizer, or planned again without the pods concerned. */
  readonly remedy: 'FirstFit' | 'LeftOut';
}

/** A node to launch. Every listed type holds all its pods, in every listed zone and capacity type it is offered in. */
export interface PlannedClaim {
  /** `<pool>-<n>`, unique within the plan. */
  readonly name: string;
  readonly nodePool: string;
  /** Cheapest first, at most `PlanOptions.maxInstanceTypes`. */
  readonly instanceTypes: readonly string[];
  readonly zones: readonly string[];
  readonly capacityTypes: readonly CapacityType[];
  /** Labels that the plan chose where the pool leaves them open (custom keys with Exists or several values). */
  readonly chosenLabels: Labels;
  /** `namespace/name` of its pods, sorted. */
  readonly pods: readonly string[];
  /** Its pods and its DaemonSets together. */
  readonly requests: ResourceList;
  /** What the first type offers to pods and DaemonSets. */
  readonly allocatable: ResourceList;
  /** USD/h of the cheapest and of the most expensive listed offering. */
  readonly hourlyPrice: number;
  readonly hourlyPriceMax: number;
  /** Whether the prices are estimates. */
  readonly estimated: boolean;
  /** Why these types and at this price; only with `PlanOptions.explainClaims`. */
  readonly why?: ClaimWhy | undefined;
}

/** What else a claim could have been, and what that would cost. */
export interface ClaimWhy {
  /** Types of the pool that hold the claim's pods in the domains they need; the cheapest of them are listed. */
  readonly holding: number;
  /** The most expensive type of those that are cheaper than the claim and too small; absent where none is cheaper. */
  readonly cheaper?: TooSmall | undefined;
  /** The cheapest that a node of another pool for the same pods would be; absent where no other pool can, be it for its limits. */
  readonly alternative?: ClaimAlternative | undefined;
}

/** A type that was not taken although it costs less. */
export interface TooSmall {
  readonly instanceType: string;
  /** USD/h. */
  readonly hourlyPrice: number;
  /** What it lacks for the claim's pods, in the resource's unit. */
  readonly short: ResourceList;
}

/** The next best pool for the pods of a claim. */
export interface ClaimAlternative {
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** USD/h. */
  readonly hourlyPrice: number;
}

/** Why a pool cannot hold a pod. */
export interface PoolReason {
  /** '' when the reason does not depend on a pool. */
  readonly nodePool: string;
  /** The first constraint that fails, with the change that was tried. */
  readonly reason: Reason;
  /** What would still be in the way if that change were made alone; absent where it is enough. */
  readonly also?: readonly Reason[] | undefined;
  /** Whether the change was left untried: there were too many questions, or what it opens is not known. */
  readonly untried?: true | undefined;
}

export interface UnschedulablePod {
  readonly pod: string;
  readonly reasons: readonly PoolReason[];
}

interface PlanCost {
  /** USD/h of the new claims, each at its cheapest listed offering. */
  readonly hourly: number;
  /** No plan for the placed pods can cost less, in USD/h; null when none was computed. */
  readonly lowerBound: number | null;
  /** USD/h of the nodes that exist, as far as the catalogue knows their types. */
  readonly existingHourly: number;
  /** Proof of the lower bound; only with `PlanOptions.duals`, and absent where there is no bound. */
  readonly duals?: PlanDuals | undefined;
}

/**
 * Dual values, from which any reader can compute the lower bound (weak duality). A pod in a zone is worth its requests at the
 * prices of its group there; no node that can be launched holds pods worth more than it costs. So a plan that places all
 * pods pays at least what they are worth where that is least, less what the room of existing nodes is worth.
 */
export interface PlanDuals {
  /** Groups of prices: USD/h per unit of a resource (millicores, bytes, counts; `pods` counts pods). */
  readonly prices: readonly ResourceList[];
  readonly pods: readonly PricedPods[];
  readonly slot?: DualSlot | undefined;
}

/** Pods that have their prices from the same groups. */
interface PricedPods {
  /** `namespace/name`, sorted. No pod is listed twice; one that is not listed is worth nothing. */
  readonly pods: readonly string[];
  /** Zone → index of its prices; `*` for zones that are not listed. Where there is neither, the pods are worth nothing. */
  readonly zones: ReadonlyMap<string, number>;
}

/** Pods of which a node holds so many at most, whatever its room: they are worth more than their requests. */
interface DualSlot {
  /** `namespace/name`, sorted. */
  readonly pods: readonly string[];
  /** Most of them on one node. */
  readonly perNode: number;
  /** USD/h that each is worth beside its requests. */
  readonly price: number;
}

/** Stands for every zone in `PricedPods.zones`. */
export const ANY_ZONE = '*';

export interface Plan {
  /** Sorted by pod. */
  readonly placements: readonly Placement[];
  readonly claims: readonly PlannedClaim[];
  /** Sorted by pod. */
  readonly unschedulable: readonly UnschedulablePod[];
  readonly cost: PlanCost;
  /** Sorted by pod, one for each kind of pods; absent where there is nothing to say. */
  readonly notes?: readonly PodNote[] | undefined;
  /** Plans that were refuted before this one; absent where there were none. */
  readonly repairs?: readonly PlanRepair[] | undefined;
}

/** Some of the pod's preferences had less say in where it goes than they might have. */
export interface PodNote {
  readonly code: 'TooManyPreferences';
  /** `namespace/name` of the first of the pods that are like it. */
  readonly pod: string;
  readonly preferences: number;
  /** Most levels at which preferences are given up. */
  readonly levels: number;
}

/** The note in one sentence: what is the case, and the change that would end it. */
export function describeNote({ preferences, levels }: PodNote): string {
  const together = preferences - levels + 1;
  return `the pod has ${String(preferences)} preferences: the ${String(together)} with the lowest weight are relaxed together, the other ${String(levels - 1)} one at a time; keep at most ${String(levels)}`;
}
