/** The limits of rate and size that an operator can set; docs/limits.md has them in one table. */

export interface SafetyLimits {
  /** Instances launched a minute, over all NodePools. */
  readonly nodesPerMinute: number;
  /** USD/h of all instances of Berth together; a launch that would go beyond it waits. */
  readonly hourlyCost: number;
  /** NodeClaims that are drained or ended at the same time. */
  readonly concurrentTerminations: number;
  /** Instances without a NodeClaim that one round of garbage collection ends. */
  readonly orphansPerRound: number;
  /** A round that would end more than this share of all instances, in percent, ends none. */
  readonly orphanPercent: number;
  /** Instances of a NodePool in a row that do not register before its launches are stopped for a while. */
  readonly registrationFailures: number;
}

/** Far above what ordinary work needs, and below what a fault can do in an hour. */
export const DEFAULT_SAFETY_LIMITS: SafetyLimits = {
  nodesPerMinute: 1000,
  hourlyCost: 10_000,
  concurrentTerminations: 500,
  orphansPerRound: 100,
  orphanPercent: 20,
  registrationFailures: 5,
};

/** So few instances without a NodeClaim are ended whatever their share is: small fleets have large shares. */
export const FEW_ORPHANS = 5;
