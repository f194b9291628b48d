/** What a caller may choose about a plan. */
import type { DefaultSpread } from '../domain/pods/default-spread.js';

export interface PlanOptions {
  /** Most instance types listed in a claim; Karpenter's launches take 60. */
  readonly maxInstanceTypes: number;
  /** Respect: preferences count until they cannot hold. Ignore: they are not looked at. */
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /** Spread that pods without any of their own get when a plan's input is gathered. */
  readonly defaultSpread: DefaultSpread;
  /** Whether pods with ResourceClaims are planned, once a plan's input is gathered; false unless given: they are refused. */
  readonly plansDevices?: boolean | undefined;
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
