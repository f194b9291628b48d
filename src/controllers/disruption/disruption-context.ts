/** What every step of a disruption works with. */
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Mutex } from '../../runtime/concurrency/mutex.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { ClaimsInWork } from '../claims-in-work.js';
import type { ClusterWriter } from '../cluster-writer.js';
import type { Safeguards } from '../safeguards/index.js';
import type { DisruptionSettings } from './disruption-settings.js';

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
  /** Shared with the loop that gives up claims without a Reservation. */
  readonly claimsInWork: ClaimsInWork;
}
