/** What every step of a claim's life works with. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { Clock } from '../../ports/clock.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { NodeClassRef } from '../../domain/policies/node-pool.js';
import type { Cloud, InstanceCatalogue } from '../../ports/cloud.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import type { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';
import type { ClaimsInWork } from '../claims-in-work.js';
import type { ClusterWriter } from '../cluster-writer.js';
import type { OwnedInstances } from '../owned-instances.js';
import type { Safeguards } from '../safeguards/safeguards.js';

export interface LifecycleContext {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  readonly cloud: Cloud;
  /** Those that the cloud lists. */
  readonly instances: OwnedInstances;
  /** As it is now: prices and offerings change. */
  readonly catalogue: () => InstanceCatalogue;
  /** The same with the NodeOverlays in force. */
  readonly overlaid: OverlaidCatalogue;
  /** The accepted node class of this name. */
  readonly nodeClass: (ref: NodeClassRef) => NodeClass | undefined;
  /** Shared with provisioning. */
  readonly unavailableOfferings: UnavailableOfferings;
  /** Tells the scheduler which pods are planned on the claim's node. */
  readonly nominatePods: (claim: NodeClaim, nodeName: string, signal: AbortSignal) => Promise<void>;
  /** For the tag kubernetes.io/cluster/<name>; without it there is no such tag. */
  readonly clusterName: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings: LifecycleSettings;
  /** Shared by all loops that launch or end instances. */
  readonly safeguards: Safeguards;
  /** Shared with the loops that create claims. */
  readonly claimsInWork: ClaimsInWork;
}

/** How long the steps of a claim's life may take, in milliseconds, and what they do. */
export interface LifecycleSettings {
  /** Whether a new node has the taint berth.sh/held until the pods are bound that it was launched for. */
  readonly taintNewNodes: boolean;
  /**
   * A claim whose pods' reservation does not come in this time is given up: its node would start without pods. The time does
   * not count while a loop of this process is about to write the reservation.
   */
  readonly reservationMillis: number;
  /** Waiting for the last claims of a group to appear before it is launched without them, */
  readonly groupMillis: number;
  /** and how long at most the first of its claims waits for the others: a large group on a slow API server goes in parts. */
  readonly groupMaxMillis: number;
  /** Within this time the cloud shows everything that happened. */
  readonly consistencyMillis: number;
  /** From the decision to end a node until its instance is ended: kube-scheduler may not know its taint yet, and bind pods to it. */
  readonly leastDrainMillis: number;
  /** From a claim's creation until it has an instance. */
  readonly launchMillis: number;
  /** From the launch until its node has registered. */
  readonly registrationMillis: number;
  /** How long a node that has registered may be not Ready before it has been initialized. */
  readonly initializationMillis: number;
  /** Poll interval for state that has no watch. */
  readonly pollMillis: number;
  /** First wait for a pod whose eviction a PodDisruptionBudget forbids, */
  readonly evictionBaseMillis: number;
  /** and the longest one. */
  readonly evictionMaxMillis: number;
}

/** Launch and registration as Karpenter's liveness controller has them; initialization as long as registration. */
export const DEFAULT_LIFECYCLE_SETTINGS: LifecycleSettings = {
  taintNewNodes: false,
  reservationMillis: 30_000,
  groupMillis: 5_000,
  groupMaxMillis: 30_000,
  consistencyMillis: 60_000,
  leastDrainMillis: 5_000,
  launchMillis: 300_000,
  registrationMillis: 900_000,
  initializationMillis: 900_000,
  pollMillis: 5_000,
  evictionBaseMillis: 1_000,
  evictionMaxMillis: 10_000,
};
