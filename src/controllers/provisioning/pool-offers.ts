/** What the pools may launch now: accepted policies, where their node classes have subnets, what the cloud has left. */
import type { InstanceType, Offering } from '../../domain/nodes/instance-type.js';
import {
  canBeIn,
  describeFull,
  instancesOf,
  roomIn,
  roomInZone,
  type PlacementGroup,
} from '../../domain/nodes/placement-group.js';
import { labelledTenancy, type LaunchedAs } from '../../domain/nodes/tenancy.js';
import { asksForDedicated } from '../../domain/pods/dedicated-demand.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import { describeNodeClass, isNodeClassKind, type NodeClass } from '../../domain/policies/node-class.js';
import type { NodeClassRef, NodePool } from '../../domain/policies/node-pool.js';
import { scaledPool } from '../../domain/policies/pool-scale.js';
import { type PolicyStatus, policyStatusName } from '../../domain/policies/policy.js';
import { ZONE } from '../../domain/values/labels.js';
import { allows } from '../../domain/values/requirement.js';
import { requirementsOf } from '../../domain/values/requirements.js';
import { isSameList } from '../../domain/values/same.js';
import { offeringsWithin } from '../../planning/model/launch/offering-labels.js';
import { PLACEMENT_LABELS } from '../../planning/model/launch/placement-labels.js';
import { NODES } from '../../planning/model/pool-usage.js';
import { allTypesOffered, type PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { Clock } from '../../ports/clock.js';
import type { InstanceCatalogue, ResolvedReservation } from '../../ports/cloud.js';
import type { Logger } from '../../ports/logger.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import { acceptedPolicies } from '../../state/policies/accepted-policies.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import type { UnavailableOfferings } from '../../state/nodes/unavailable-offerings.js';
import { zonesWithRoom } from '../node-claim/launch/zone-balance.js';
import { reservationsLeft, withReservedOfferings } from '../reserved-offerings.js';
import type { Safeguards } from '../safeguards/safeguards.js';
import type { ResolvedNodeClasses } from '../policies/resolved-node-classes.js';

export interface PoolOffersOptions {
  readonly cluster: Cluster;
  /** As it is now: prices and offerings change. */
  readonly catalogue: () => InstanceCatalogue;
  /** The same with the NodeOverlays in force; a new one unless it is shared. */
  readonly overlaid?: OverlaidCatalogue | undefined;
  readonly resolved: ResolvedNodeClasses;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Without them no NodePool is stopped. */
  readonly safeguards?: Safeguards | undefined;
}

type Offered = Pick<PoolOffer, 'instanceTypes' | 'dedicatedTypes' | 'nodeClassProblem' | 'placementGroup'> &
  Partial<Pick<PoolOffer, 'pool'>>;

/** A pool with what keeps it from launching whatever the cloud has. */
type KnownPool = Pick<PoolOffer, 'pool' | 'frozen' | 'nodeClassProblem'>;

/** What pools of one node class may launch. */
type OfferedBy = (pool: NodePool) => Offered;

const FULL = 'its subnets have no free IP addresses; free some, or select more subnets';

const CLASS_GONE =
  'its document was removed from the policy ConfigMaps, which freezes the NodePools that reference it; restore the document';

/** Of a node class that does not exist. */
const NOTHING: Offered = { instanceTypes: undefined };

/** The same for every pool. */
function never(nodeClassProblem: string): OfferedBy {
  return () => ({ instanceTypes: undefined, nodeClassProblem });
}

export class PoolOffers {
  readonly #options: PoolOffersOptions;
  readonly #overlaid: OverlaidCatalogue;
  readonly #offeredTypes: OfferedTypes;
  /** Pools by name, each of its accepted document and scale. */
  readonly #accepted = new Map<string, { readonly text: string; readonly pool: NodePool }>();
  /** Pools of placement groups with limits of nodes → those with the limit of their group. */
  readonly #limitedPools = new WeakMap<NodePool, NodePool>();

  constructor(options: PoolOffersOptions) {
    this.#options = options;
    this.#overlaid = options.overlaid ?? new OverlaidCatalogue(options);
    this.#offeredTypes = new OfferedTypes(options.unavailableOfferings);
  }

  /**
   * Pools that are accepted, durably so; frozen ones are marked, so that reasons can name them. A pool whose node class
   * is missing, frozen or cannot be resolved offers no types; the others are not kept waiting for it. Dedicated instances are offered
   * while some pod of the cluster, or one of `specs`, asks for them, and while there are nodes of their own to be priced.
   */
  async now(signal: AbortSignal, specs: readonly PodSpec[] = []): Promise<readonly PoolOffer[]> {
    const pools = this.#pools();
    const refs = new Map(
      pools.map(({ pool: { template } }) => [
        describeNodeClass(template.nodeClassRef),
        template.nodeClassRef,
      ]),
    );
    const offered = new Map<string, OfferedBy>();
    const hasDedicated = specs.some(asksForDedicated) || this.#hasDedicated();
    await Promise.all(
      [...refs].map(async ([name, ref]) => {
        offered.set(name, await this.#offered(ref, hasDedicated, signal));
      }),
    );
    const { clock, safeguards, unavailableOfferings } = this.#options;
    return pools.map((known) => {
      const { pool } = known;
      const problem =
        known.nodeClassProblem ??
        safeguards?.breaker.problem(pool.name) ??
        unavailableOfferings.poolProblem(pool.name, clock.now());
      if (problem !== undefined) return { ...known, instanceTypes: undefined, nodeClassProblem: problem };
      const offeredBy = offered.get(describeNodeClass(pool.template.nodeClassRef));
      return { ...known, ...(offeredBy?.(pool) ?? NOTHING) };
    });
  }

  /** All types as they are for the claim's node; none when its node class is not known. */
  typesOf(claim: LaunchedAs): readonly InstanceType[] {
    const nodeClass = acceptedNodeClass(this.#options.cluster, claim.spec.nodeClassRef);
    return nodeClass === undefined ? [] : this.#overlaid.typesOfClaim(nodeClass, claim);
  }

  #pools(): readonly KnownPool[] {
    const { policyConfigMaps, policyStatuses } = this.#options.cluster;
    const { pools, verdicts } = acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
    const goneClasses = new Set(
      verdicts.flatMap(({ kind, policy, frozen }) =>
        isNodeClassKind(kind) && frozen ? [describeNodeClass({ kind, name: policy })] : [],
      ),
    );
    return pools.flatMap(({ nodePool, frozen }): readonly KnownPool[] => {
      // A document is relied on once it is written down that it was accepted; before, the one that was.
      const status = policyStatuses.get(policyStatusName('NodePool', nodePool.name));
      const pool = this.#acceptedPool(nodePool.name, status);
      if (pool === undefined) return [];
      if (goneClasses.has(describeNodeClass(pool.template.nodeClassRef)))
        return [{ pool, nodeClassProblem: CLASS_GONE }];
      return [frozen ? { pool, frozen } : { pool }];
    });
  }

  /** The same object for as long as the document and its scale are accepted: its status is written, and read, far more often. */
  #acceptedPool(name: string, status: PolicyStatus | undefined): NodePool | undefined {
    const accepted = status?.lastAccepted;
    if (accepted?.value?.kind !== 'NodePool') return undefined;
    const scaled = scaledPool(accepted.value.nodePool, status?.scale);
    const text = `${String(scaled.replicas)} ${JSON.stringify(accepted.document)}`;
    const known = this.#accepted.get(name);
    const pool = known?.text === text ? known.pool : scaled;
    this.#accepted.set(name, { text, pool });
    return pool;
  }

  #hasDedicated(): boolean {
    const { cluster } = this.#options;
    if (cluster.hasPodsForDedicated) return true;
    for (const { labels } of cluster.nodeClaims.values())
      if (labelledTenancy(labels) === 'dedicated') return true;
    return false;
  }

  async #offered(ref: NodeClassRef, hasDedicated: boolean, signal: AbortSignal): Promise<OfferedBy> {
    const { cluster, resolved, logger } = this.#options;
    const nodeClass = acceptedNodeClass(cluster, ref);
    if (nodeClass === undefined) return () => NOTHING;
    try {
      const answer = await resolved.resolve(nodeClass, signal);
      const { problems, architectures, placementGroup } = answer;
      const zones = zonesWithRoom(answer);
      if (problems.length > 0) return never(problems.join('; '));
      if (zones.length === 0) return never(FULL);
      const now = this.#options.clock.now();
      const reservations = reservationsLeft(answer.reservations, cluster.nodeClaims.values(), now);
      const terms = { zones, architectures, reservations };
      if (placementGroup !== undefined)
        return this.#placedOffers(nodeClass, hasDedicated, placementGroup, terms);
      return (pool) =>
        this.#offeredOf(nodeClass, pool, hasDedicated, (types) =>
          this.#offeredTypes.of(types, describeNodeClass(ref), terms, now),
        );
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn('Failed to resolve the node class', { nodeClass: describeNodeClass(ref), error });
      return never(`the cloud provider could not resolve it: ${messageOf(error)}`);
    }
  }

  /** Types of the pool's own tenancy, and dedicated ones where these are others and are asked for. */
  #offeredOf(
    nodeClass: NodeClass,
    { name }: NodePool,
    hasDedicated: boolean,
    offer: (types: readonly InstanceType[]) => readonly InstanceType[],
  ): Pick<PoolOffer, 'instanceTypes' | 'dedicatedTypes'> {
    const instanceTypes = offer(this.#overlaid.typesFor(nodeClass, name));
    if (!hasDedicated || this.#overlaid.tenancy(name) === 'dedicated') return { instanceTypes };
    return { instanceTypes, dedicatedTypes: offer(this.#overlaid.typesFor(nodeClass, name, 'dedicated')) };
  }

  /** What the placement group has room for. */
  #placedOffers(
    nodeClass: NodeClass,
    hasDedicated: boolean,
    group: PlacementGroup,
    terms: OfferTerms,
  ): OfferedBy {
    const { cluster, clock } = this.#options;
    const now = clock.now();
    const instances = instancesOf(group, cluster.nodeClaims.values());
    const open = terms.zones.filter((zone) => roomInZone(group, zone, instances) > 0);
    const name = describeNodeClass(nodeClass);
    const isUnsettled = group.strategy === 'cluster' && instances.byZone.size === 0;
    return (pool) => {
      const zone = requirementsOf(pool.template.requirements).get(ZONE);
      const zones = open.filter((each) => zone === undefined || allows(zone, each));
      const room = roomIn(group, zones, instances);
      if (room === 0) return { instanceTypes: undefined, nodeClassProblem: describeFull(group) };
      const placed = { ...terms, zones, placementGroup: group };
      const offered = this.#offeredOf(nodeClass, pool, hasDedicated, (types) =>
        this.#offeredTypes.of(types, `${name} in ${zones.join()}`, placed, now),
      );
      const chosen = isUnsettled ? zoneWithMost(allTypesOffered(offered), pool, zones) : undefined;
      const inOne = { ...placed, zones: chosen === undefined ? zones : [chosen] };
      const limited = this.#limited(pool, room);
      const full = limited === pool ? undefined : describeFull(group);
      return {
        pool: limited,
        placementGroup: { id: group.id, partitions: group.partitions, full },
        ...(chosen === undefined
          ? offered
          : this.#offeredOf(nodeClass, pool, hasDedicated, (types) =>
              this.#offeredTypes.of(types, `${name} in one zone`, inOne, now),
            )),
      };
    };
  }

  /** The pool with no more nodes than it has and the placement group takes; the same object for as long as that is so many. */
  #limited(pool: NodePool, room: number): NodePool {
    if (room === Infinity) return pool;
    const claims = [...this.#options.cluster.nodeClaims.values()];
    const nodes = claims.filter(({ spec }) => spec.nodePool === pool.name).length + room;
    if (nodes >= (pool.limits.get(NODES) ?? Infinity)) return pool;
    const known = this.#limitedPools.get(pool);
    if (known?.limits.get(NODES) === nodes) return known;
    const limited = { ...pool, limits: new Map([...pool.limits, [NODES, nodes]]) };
    this.#limitedPools.set(pool, limited);
    return limited;
  }
}

/** The zone where the pool has most offerings left, which a placement group without instances is going to be in. */
function zoneWithMost(
  types: readonly InstanceType[],
  { template }: NodePool,
  zones: readonly string[],
): string | undefined {
  const required = requirementsOf(template.requirements.filter(({ key }) => !PLACEMENT_LABELS.has(key)));
  const offered = types.flatMap((type) => offeringsWithin(required, template.labels, type));
  const count = (zone: string): number => offered.filter((offering) => offering.zone === zone).length;
  return [...zones].sort((left, right) => count(right) - count(left) || (left < right ? -1 : 1))[0];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a node class can be launched with. */
export interface OfferTerms {
  readonly zones: readonly string[];
  /** undefined: any. */
  readonly architectures: readonly string[] | undefined;
  readonly reservations: readonly ResolvedReservation[];
  readonly placementGroup?: PlacementGroup | undefined;
}

/** What was last made of a list of types. */
interface Made {
  readonly terms: string;
  /** By what they were made of. */
  readonly types: ReadonlyMap<InstanceType, InstanceType>;
  readonly list: readonly InstanceType[];
}

/**
 * The planner's thread is sent each type that is not an object of the last question, and there are more than a thousand types: what
 * has not changed is the same object as before.
 */
export class OfferedTypes {
  readonly #unavailable: UnavailableOfferings;
  /** List of types → node class → what was made of it. */
  readonly #made = new WeakMap<readonly InstanceType[], Map<string, Made>>();

  constructor(unavailable: UnavailableOfferings) {
    this.#unavailable = unavailable;
  }

  /** The types under a node class, whose name tells it from others. `now` in milliseconds since 1970. */
  of(
    types: readonly InstanceType[],
    nodeClass: string,
    terms: OfferTerms,
    now: number,
  ): readonly InstanceType[] {
    const byClass = this.#made.get(types) ?? new Map<string, Made>();
    this.#made.set(types, byClass);
    const text = JSON.stringify([terms, this.#unavailable.version(now)]);
    const before = byClass.get(nodeClass);
    if (before?.terms === text) return before.list;
    const made = this.#make(types, terms, before, now);
    byClass.set(nodeClass, { terms: text, types: made, list: [...made.values()] });
    return byClass.get(nodeClass)?.list ?? [];
  }

  #make(
    types: readonly InstanceType[],
    { zones, architectures, reservations, placementGroup: group }: OfferTerms,
    before: Made | undefined,
    now: number,
  ): ReadonlyMap<InstanceType, InstanceType> {
    const served = new Set(zones);
    const isUnavailable = this.#unavailable.within(group?.id);
    const launchable = types.filter(
      (type) => (architectures?.includes(type.arch) ?? true) && (group === undefined || canBeIn(group, type)),
    );
    const all = withReservedOfferings(launchable, reservations);
    return new Map(
      launchable.map((source, index) => {
        const type = all[index] ?? source;
        const offeredOf = (offerings: readonly Offering[]): readonly Offering[] =>
          offerings
            .filter(({ zone }) => served.has(zone))
            .map((offering) => {
              const { zone, capacityType, reservation } = offering;
              const isOut =
                isUnavailable(type.name, zone, capacityType, now) ||
                (reservation !== undefined &&
                  this.#unavailable.isReservationUnavailable(reservation.id, now));
              return isOut ? { ...offering, available: false } : offering;
            });
        const { excluded } = type;
        const offered = {
          offerings: offeredOf(type.offerings),
          ...(excluded && { excluded: { ...excluded, offerings: offeredOf(excluded.offerings) } }),
        };
        const known = [source, before?.types.get(source)].find((each) => each && sells(each, offered));
        return [source, known ?? { ...type, ...offered }];
      }),
    );
  }
}

type Sold = Pick<InstanceType, 'offerings' | 'excluded'>;

/** Whether the type has exactly these offerings, or would have them. */
function sells(type: Sold, offered: Sold): boolean {
  return (
    isSameList(type.offerings, offered.offerings, isSame) &&
    isSameList(type.excluded?.offerings ?? [], offered.excluded?.offerings ?? [], isSame)
  );
}

/** Of one type and so of one catalogue: what can differ is whether the cloud has them, and how much of a reservation is left. */
function isSame(offering: Offering, other: Offering): boolean {
  return (
    offering === other ||
    (offering.zone === other.zone &&
      offering.capacityType === other.capacityType &&
      offering.price === other.price &&
      offering.available === other.available &&
      offering.reservation?.id === other.reservation?.id &&
      offering.reservation?.count === other.reservation?.count)
  );
}
