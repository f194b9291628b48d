/** The instances of this cluster as the cloud lists them: one listing for all callers at about the same time. */
import { CLUSTER_TAG, type Cloud, type CloudInstance } from '../../../ports/cloud.js';
import type { Clock } from '../../../ports/clock.js';
import { withDeadline } from '../../../runtime/time/deadline.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { clusterUID } from '../../../state/cluster/cluster-uid.js';

/** A listing is good for so long. */
const FRESH_MILLIS = 1000;
const TIMEOUT_MILLIS = 30_000;

interface Listing {
  readonly startedAt: number;
  readonly instances: Promise<ReadonlyMap<string, CloudInstance>>;
}

export class InstanceView {
  readonly #cluster: Cluster;
  readonly #cloud: Cloud;
  readonly #clock: Clock;
  #last: Listing | undefined;

  constructor(options: { readonly cluster: Cluster; readonly cloud: Cloud; readonly clock: Clock }) {
    this.#cluster = options.cluster;
    this.#cloud = options.cloud;
    this.#clock = options.clock;
  }

  /**
   * Instances by providerID. No caller's signal ends a listing, since other callers may wait for it too; it has a time-out.
   */
  instances(): Promise<ReadonlyMap<string, CloudInstance>> {
    const now = this.#clock.monotonic();
    if (this.#last !== undefined && now - this.#last.startedAt < FRESH_MILLIS) return this.#last.instances;
    const listing = { startedAt: now, instances: this.#list() };
    this.#last = listing;
    listing.instances.catch(() => {
      if (this.#last === listing) this.#last = undefined;
    });
    return listing.instances;
  }

  async #list(): Promise<ReadonlyMap<string, CloudInstance>> {
    const tags = new Map([[CLUSTER_TAG, clusterUID(this.#cluster)]]);
    const deadline = { clock: this.#clock, millis: TIMEOUT_MILLIS, operation: 'list instances' };
    const instances = await withDeadline(deadline, (signal) => this.#cloud.instances(tags, signal));
    return new Map(instances.map((instance) => [instance.providerID, instance]));
  }
}
