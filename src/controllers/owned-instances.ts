/** The cluster's instances as the cloud lists them: controllers that want them at about the same time share one listing. */
import { instanceID } from '../domain/nodes/node-claim.js';
import { CLUSTER_TAG, type Cloud, type CloudInstance } from '../ports/cloud.js';
import type { Clock } from '../ports/clock.js';
import { withDeadline } from '../runtime/time/deadline.js';
import type { Cluster } from '../state/cluster/cluster.js';
import { clusterUID } from '../state/cluster/cluster-uid.js';

/** Instances that end together are asked about together. */
const GATHER_MILLIS = 1000;
/** Thousands of instances come in dozens of pages. */
const TIMEOUT_MILLIS = 120_000;

export interface InstanceListing {
  /** When it began, in milliseconds since 1970: what happened later may be missing. */
  readonly asOf: number;
  /** By providerID. */
  readonly instances: ReadonlyMap<string, CloudInstance>;
}

/** Instances that the next request is about. */
interface Gathered {
  readonly ids: Set<string>;
  readonly listing: Promise<InstanceListing>;
}

export interface OwnedInstancesOptions {
  readonly cluster: Cluster;
  readonly cloud: Pick<Cloud, 'instances'>;
  readonly clock: Clock;
  /** Ends listings, too. */
  readonly signal?: AbortSignal | undefined;
}

export class OwnedInstances {
  readonly #options: OwnedInstancesOptions;
  /** The latest; `startedAt` by the monotonic clock. */
  #last: { readonly startedAt: number; readonly listing: Promise<InstanceListing> } | undefined;

  /** The next request about single ones. */
  #gathered: Gathered | undefined;

  constructor(options: OwnedInstancesOptions) {
    this.#options = options;
  }

  /**
   * A listing that began at most so long ago. No caller's signal ends it, since others may wait for it too; it has a
   * time-out. @throws PortError; the next caller begins another.
   */
  list(mostAgeMillis: number): Promise<InstanceListing> {
    const { clock } = this.#options;
    const now = clock.monotonic();
    if (this.#last !== undefined && now - this.#last.startedAt < mostAgeMillis) return this.#last.listing;
    const begun = { startedAt: now, listing: this.#list() };
    this.#last = begun;
    begun.listing.catch(() => {
      if (this.#last === begun) this.#last = undefined;
    });
    return begun.listing;
  }

  /**
   * The instance with this providerID as it is now; undefined when the cloud does not know it. Those that are asked about within a
   * second share a request, and the others of the cluster, of which there may be thousands, are not read.
   * @throws PortError
   */
  async one(providerID: string): Promise<CloudInstance | undefined> {
    const gathered = this.#gathered ?? this.#gather();
    gathered.ids.add(instanceID(providerID));
    const { instances } = await gathered.listing;
    return instances.get(providerID);
  }

  #gather(): Gathered {
    const { clock, signal } = this.#options;
    const ids = new Set<string>();
    const listing = clock.sleep(GATHER_MILLIS, signal).then(() => {
      this.#gathered = undefined;
      return this.#list([...ids]);
    });
    listing.catch(() => {
      if (this.#gathered?.listing === listing) this.#gathered = undefined;
    });
    return (this.#gathered = { ids, listing });
  }

  async #list(ids?: readonly string[]): Promise<InstanceListing> {
    const { cluster, cloud, clock, signal } = this.#options;
    const tags = new Map([[CLUSTER_TAG, clusterUID(cluster)]]);
    const asOf = clock.now();
    const deadline = { clock, millis: TIMEOUT_MILLIS, signal, operation: 'list instances' };
    const listed = await withDeadline(deadline, (own) => cloud.instances(tags, own, ids));
    return { asOf, instances: new Map(listed.map((instance) => [instance.providerID, instance])) };
  }
}
