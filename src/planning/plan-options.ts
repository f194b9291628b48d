/** What a caller may choose about a plan. */
import type { TopologySpreadConstraint } from '../domain/pods/topology-spread.js';

export interface PlanOptions {
  /** Most instance types listed in a claim; Karpenter's launches take 60. */
  readonly maxInstanceTypes: number;
  /** Respect: preferences count until they cannot hold. Ignore: they are not looked at. */
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /**
   * Spread for pods that have none of their own (kube-scheduler's PodTopologySpread defaultConstraints); the
   * selector is each pod's own labels. System defaulting is ScheduleAnyway and does not bind, so it is left out.
   */
  readonly defaultSpread: readonly Omit<TopologySpreadConstraint, 'selector'>[];
  /** Whether claims explain their types and price (`PlannedClaim.why`); changes nothing else. */
  readonly explainClaims?: boolean | undefined;
  /** Whether the lower bound comes with its proof (`PlanCost.duals`); changes nothing else. */
  readonly duals?: boolean | undefined;
}

export const DEFAULT_PLAN_OPTIONS: PlanOptions = {
  maxInstanceTypes: 60,
  preferencePolicy: 'Respect',
  defaultSpread: [],
};
