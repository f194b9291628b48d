/** How long the steps of a disruption take, in milliseconds. */

export interface DisruptionSettings {
  /** From one look at the cluster to the next; as Karpenter's. */
  readonly pollMillis: number;
  /** So long after a mark every extender has seen it, and whatever it let pass before is bound or never will be. */
  readonly settleMillis: number;
  /** A replacement that is not ready by then is given up, and what it was to replace stays. */
  readonly readyMillis: number;
  /** The same for a node whose instance is about to be taken back: it is drained then, come what may. */
  readonly hurryMillis: number;
  /** What was given up is left alone for so long, and longer each time, */
  readonly cooldownMillis: number;
  /** up to this. */
  readonly maxCooldownMillis: number;
}

export const DEFAULT_DISRUPTION_SETTINGS: DisruptionSettings = {
  pollMillis: 10_000,
  settleMillis: 10_000,
  readyMillis: 600_000,
  hurryMillis: 60_000,
  cooldownMillis: 60_000,
  maxCooldownMillis: 1_800_000,
};
