/** What every step of a disruption works with. */
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { Random } from '../../../ports/random.js';
import type { Recorder } from '../../../ports/recorder.js';
import type { Metrics } from '../../../runtime/metrics/metrics.js';
import type { Mutex } from '../../../runtime/concurrency/mutex.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import type { ClaimsInWork } from '../../claims-in-work.js';
import type { ClusterWriter } from '../../cluster-writer.js';
import type { DriftRollouts } from '../rollout/drift-rollouts.js';
import type { Safeguards } from '../../safeguards/safeguards.js';

export interface DisruptionContext {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings: DisruptionSettings;
  /** Shared with provisioning: from a look at the room until it is held, no other controller gives any away. */
  readonly mutex: Mutex;
  /** Shared by all loops that launch or end instances. */
  readonly safeguards: Safeguards;
  /** Shared with the loops that compare claims and write PolicyStatuses. Without it drift has no stages and no back-off. */
  readonly driftRollouts?: DriftRollouts | undefined;
  /** Shared with the loop that gives up claims without a Reservation. */
  readonly claimsInWork: ClaimsInWork;
}

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
