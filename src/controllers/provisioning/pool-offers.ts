/** What the pools may launch now: accepted policies, where their node classes have subnets, what the cloud has left. */
import type { Catalogue } from '../../catalogue/index.js';
import type { InstanceType, Offering } from '../../domain/instance-type.js';
import type { NodePool } from '../../domain/node-pool.js';
import { policyStatusName } from '../../domain/policy.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { acceptedNodeClass } from '../../state/accepted-node-class.js';
import { acceptedPolicies } from '../../state/accepted-policies.js';
import type { Cluster } from '../../state/cluster.js';
import type { UnavailableOfferings } from '../../state/unavailable-offerings.js';
import type { ResolvedNodeClasses } from '../policies/resolved-node-classes.js';

export interface PoolOffersOptions {
  readonly cluster: Cluster;
  /** As it is now: prices and offerings change. */
  readonly catalogue: () => Catalogue;
  readonly resolved: ResolvedNodeClasses;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Offered = Pick<PoolOffer, 'instanceTypes' | 'nodeClassProblem'>;

/** Of a node class that does not exist. */
const NOTHING: Offered = { instanceTypes: undefined };

export class PoolOffers {
  readonly #options: PoolOffersOptions;

  constructor(options: PoolOffersOptions) {
    this.#options = options;
  }

  /**
   * Pools that are accepted, durably so, and not frozen. A pool whose node class is missing or cannot be resolved offers
   * no types; the others are not kept waiting for it.
   */
  async now(signal: AbortSignal): Promise<readonly PoolOffer[]> {
    const pools = this.#pools();
    const names = [...new Set(pools.map(({ template }) => template.nodeClassRef.name))];
    const offered = new Map<string, Offered>();
    await Promise.all(
      names.map(async (name) => {
        offered.set(name, await this.#offered(name, signal));
      }),
    );
    return pools.map((pool) => ({ pool, ...(offered.get(pool.template.nodeClassRef.name) ?? NOTHING) }));
  }

  /** All types as they are under a node class; none when it is not known. */
  typesOf(nodeClass: string): readonly InstanceType[] {
    const source = acceptedNodeClass(this.#options.cluster, nodeClass);
    return source === undefined ? [] : this.#options.catalogue().forNodeClass(source.nodeClass);
  }

  #pools(): readonly NodePool[] {
    const { policyConfigMaps, policyStatuses } = this.#options.cluster;
    const { pools } = acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
    return pools.flatMap(({ nodePool, frozen }) => {
      if (frozen) return [];
      // A document is relied on once it is written down that it was accepted; before, the one that was.
      const value = policyStatuses.get(policyStatusName('NodePool', nodePool.name))?.lastAccepted?.value;
      return value?.kind === 'NodePool' ? [value.nodePool] : [];
    });
  }

  async #offered(nodeClass: string, signal: AbortSignal): Promise<Offered> {
    const { cluster, resolved, logger } = this.#options;
    const source = acceptedNodeClass(cluster, nodeClass);
    if (source === undefined) return NOTHING;
    try {
      const { zones, problems, architectures } = await resolved.resolve(source, signal);
      if (problems.length > 0) return { instanceTypes: undefined, nodeClassProblem: problems.join('; ') };
      const types = this.typesOf(nodeClass).filter(({ arch }) => architectures?.includes(arch) ?? true);
      return { instanceTypes: this.#toBeHad(types, new Set(zones)) };
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn('node class cannot be resolved', { nodeClass, error });
      return {
        instanceTypes: undefined,
        nodeClassProblem: `the cloud did not say what it amounts to: ${messageOf(error)}`,
      };
    }
  }

  #toBeHad(types: readonly InstanceType[], zones: ReadonlySet<string>): readonly InstanceType[] {
    const { unavailableOfferings, clock } = this.#options;
    const now = clock.now();
    const isOut = (name: string, { zone, capacityType }: Offering): boolean =>
      unavailableOfferings.isUnavailable(name, zone, capacityType, now);
    return types.map((type) => ({
      ...type,
      offerings: type.offerings
        .filter(({ zone }) => zones.has(zone))
        .map((offering) => (isOut(type.name, offering) ? { ...offering, available: false } : offering)),
    }));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
