/** What planning answers: where pods go, which machines to launch for them, what cannot be placed and why. */
import type { CapacityType } from '../domain/instance-type.js';
import type { Labels } from '../domain/labels.js';
import type { ResourceList } from '../domain/resources.js';
import type { Reason } from './reason.js';

/** Where one pending pod goes; DaemonSet pods are not listed. */
export interface Placement {
  /** `namespace/name`. */
  readonly pod: string;
  /** An existing node, or a claim of this plan. */
  readonly target: { readonly kind: 'Node' | 'NodeClaim'; readonly name: string };
}

/** A machine to launch. Every listed type holds all its pods, in every listed zone and capacity type it is offered in. */
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
  /** USD/h of the cheapest and of the dearest listed offering. */
  readonly hourlyPrice: number;
  readonly hourlyPriceMax: number;
  /** Whether the prices are estimates. */
  readonly estimated: boolean;
}

/** Why a pool cannot hold a pod. */
export interface PoolReason {
  /** '' when the reason does not depend on a pool. */
  readonly nodePool: string;
  readonly reason: Reason;
}

export interface UnschedulablePod {
  readonly pod: string;
  readonly reasons: readonly PoolReason[];
}

export interface PlanCost {
  /** USD/h of the new claims, each at its cheapest listed offering. */
  readonly hourly: number;
  /** No plan for the placed pods can cost less, in USD/h; null when none was computed. */
  readonly lowerBound: number | null;
  /** USD/h of the nodes that exist, as far as the catalogue knows their types. */
  readonly existingHourly: number;
}

export interface Plan {
  /** Sorted by pod. */
  readonly placements: readonly Placement[];
  readonly claims: readonly PlannedClaim[];
  /** Sorted by pod. */
  readonly unschedulable: readonly UnschedulablePod[];
  readonly cost: PlanCost;
}
