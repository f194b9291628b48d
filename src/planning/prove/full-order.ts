/**
 * A whole order of binding for plans that hold in none of the orders that the proofs know, one pod after the other: found by
 * trying, for few pods that have rules about each other. The extender keeps it.
 */
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import { TENANCIES, tenancyLabels } from '../../domain/nodes/tenancy.js';
import { CAPACITY_TYPE, ZONE, ZONE_ID, type Labels } from '../../domain/values/labels.js';
import { allows } from '../../domain/values/requirement.js';
import { requirementsOf } from '../../domain/values/requirements.js';
import { DisjointSets } from '../../domain/values/disjoint-sets.js';
import type { Plan, PlannedClaim } from '../plan.js';
import { BindOrder, MOST_AWAITED } from './bind-order.js';
import { BindingState, findOrder } from './binding-state.js';
import { plannedCluster, type PlannedCluster, type Stand } from './cluster/planned-cluster.js';
import type { ProofMemory, SpecAsks } from './proof-memory.js';
import type { Refutation } from './refutation.js';
import { SpreadProof } from './spread-proof.js';
import { DomainTable } from './cluster/topology-domains.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import { placementRequirements } from '../model/launch/placement-labels.js';
import { typesOffered, type PoolOffer } from '../snapshot/cluster-input.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Pods that are tried, over all of a plan, before the search is given up. */
const MOST_TRIES = 20_000;
/** Pods tied to each other by their rules: none waits for more than a pod may wait for. */
const MOST_TIED = MOST_AWAITED + 1;

/** What pods are bound on, and what they ask. */
interface Stage {
  readonly cluster: PlannedCluster;
  readonly asks: SpecAsks;
  readonly domains: DomainTable;
  readonly spread: SpreadProof;
}

interface Refuted extends Stage {
  readonly refutations: readonly Refutation[];
  /** The order that the proofs found. */
  readonly order: BindOrder;
  readonly plan: Plan;
  readonly memory: ProofMemory;
}

interface FullOrder {
  readonly order: BindOrder;
  /** Over which domains spread is kept in it: all that could be launched into, or only those that there are. */
  readonly reach: 'launchable' | 'existing';
}

/** Stands that spread or affinity ties to each other, with their specs. */
interface Part {
  readonly specs: ReadonlySet<number>;
  readonly stands: readonly Stand[];
}

/**
 * An order in which all pods can be bound, where spread and affinity alone refute a plan; undefined where there is none or
 * none is found. Pods wait for all that come before them and have rules about the same pods; those that the proofs have
 * nothing against are bound as they come. Where that is possible spread is kept over all domains that could be launched into.
 */
export function fullOrder(refuted: Refuted): FullOrder | undefined {
  const { refutations, order } = refuted;
  if (!refutations.every(({ rule }) => rule === 'topologySpread' || rule === 'podAffinity')) return undefined;
  const concerned = new Set([...refutations.flatMap(({ pods }) => pods), ...order.after.keys()]);
  const isFew = partsOf(refuted).every(
    (part) =>
      part.stands.reduce((sum, { placed }) => sum + placed.length, 0) <= MOST_TIED ||
      !isConcerned(refuted, part, concerned),
  );
  if (!isFew) return undefined;
  const wide = orderOn(widened(refuted), concerned);
  if (wide !== undefined) return { order: wide, reach: 'launchable' };
  const narrow = orderOn(refuted, concerned);
  return narrow && { order: narrow, reach: 'existing' };
}

function isConcerned({ cluster }: Stage, { stands }: Part, concerned: ReadonlySet<string>): boolean {
  return stands.some((stand) => keysOf(cluster, stand).some((key) => concerned.has(key)));
}

function keysOf({ snapshot }: PlannedCluster, { placed }: Stand): readonly string[] {
  return placed.map((row) => snapshot.pods.keys[row] ?? '');
}

/** The same with an empty claim for all that could be launched. */
function widened({ cluster: { snapshot }, plan, memory, asks, order }: Refuted): Stage {
  const claims = [...plan.claims, ...possibleClaims(snapshot)];
  const { forms } = memory;
  const cluster = plannedCluster(
    snapshot,
    { ...plan, claims },
    { forms, isWhole: true, related: asks.related },
  );
  const domains = new DomainTable(cluster.places);
  return { cluster, asks, domains, spread: new SpreadProof(cluster, asks, domains, order) };
}

/** For the parts of which some pod is concerned. */
function orderOn(stage: Stage, concerned: ReadonlySet<string>): BindOrder | undefined {
  const { cluster, asks, spread } = stage;
  const found = new BindOrder();
  const rules = [
    ...spread.asked().map((look) => ({ spread: look, affinity: undefined, of: look.question })),
    ...asks.affinity.map((affinity) => ({ spread: undefined, affinity, of: affinity })),
  ];
  const budget = { tries: MOST_TRIES };
  for (const part of partsOf(stage)) {
    if (!isConcerned(stage, part, concerned)) continue;
    const { stands, specs } = part;
    const own = rules.filter(({ of: { carriers, members } }) =>
      [...carriers, ...members].some((spec) => specs.has(spec)),
    );
    const state = new BindingState({ rules: own, stands }, cluster, { ...stage, order: new BindOrder() });
    const order = findOrder(state, budget);
    if (order === undefined) return undefined;
    if (!addInTurn(found, podsInOrder(cluster, stands, order), part)) return undefined;
  }
  return found;
}

/** Keys of the pods of these stands, each of which is named once for each of its pods. */
function podsInOrder(
  cluster: PlannedCluster,
  stands: readonly Stand[],
  order: readonly number[],
): readonly string[] {
  const left = stands.map((stand) => [...keysOf(cluster, stand)]);
  return order.flatMap((stand) => left[stand]?.shift() ?? []);
}

/** Each pod waits for all before it. */
function addInTurn(order: BindOrder, keys: readonly string[], cause: object): boolean {
  return keys.every((key, at) => order.add({ pods: [key], others: keys.slice(0, at), cause }));
}

/** Pods that are planned, those together that spread or affinity ties to each other; those with such rules first. */
function partsOf({ cluster: { standsOf }, asks }: Stage): readonly Part[] {
  const sets = new DisjointSets();
  const hasRules = new Set<number>();
  for (const { carriers, members } of [...asks.spread, ...asks.affinity]) {
    for (const spec of carriers) hasRules.add(spec);
    const [first, ...others] = [...carriers, ...members];
    for (const other of others) sets.join(first ?? other, other);
  }
  const rank = (spec: number): number => (hasRules.has(spec) ? 0 : 1);
  const parts = new Map<number, { readonly specs: Set<number>; readonly stands: Stand[] }>();
  for (const spec of [...standsOf.keys()].sort((left, right) => rank(left) - rank(right))) {
    const placed = (standsOf[spec] ?? []).filter((stand) => stand.placed.length > 0);
    if (placed.length === 0) continue;
    const set = sets.find(spec);
    const part = parts.get(set) ?? { specs: new Set(), stands: [] };
    parts.set(set, part);
    part.specs.add(spec);
    part.stands.push(...placed);
  }
  return [...parts.values()];
}

/** For each pool one claim that may become any of its offerings; where a label has several values, one for each. */
function possibleClaims({ pools, specs }: Snapshot): readonly PlannedClaim[] {
  return pools.flatMap(tenanciesOf).flatMap(({ offer, tenancy }) => {
    const { pool, frozen } = offer;
    if (frozen === true || pool.replicas !== undefined) return [];
    const required = requirementsOf(pool.template.requirements);
    const isAllowed = (key: string, value: string | undefined): boolean => {
      const item = required.get(key);
      return item === undefined || allows(item, value);
    };
    const types = typesOffered(offer, tenancy).filter(({ labels }) =>
      [...required.values()].every((item) => !labels.has(item.key) || allows(item, labels.get(item.key))),
    );
    const offerings = types
      .flatMap((type) => type.offerings)
      .filter(({ zoneID }) => isAllowed(ZONE_ID, zoneID));
    const listed = {
      nodePool: pool.name,
      instanceTypes: types.map(({ name }) => name),
      zones: [...new Set(offerings.map(({ zone }) => zone))].filter((zone) => isAllowed(ZONE, zone)),
      capacityTypes: [...new Set(offerings.map(({ capacityType }) => capacityType))].filter((type) =>
        isAllowed(CAPACITY_TYPE, type),
      ),
    };
    return openValues(offer, types, specs).map((chosen, at) => ({
      ...EMPTY,
      ...listed,
      name: `any of ${[pool.name, ...tenancy.values()].join(' ')} ${String(at)}`,
      chosenLabels: new Map([...chosen, ...tenancy]),
    }));
  });
}

/** The pool once for each list of types that it may have, with the label that is chosen for these. */
function tenanciesOf(offer: PoolOffer): readonly { readonly offer: PoolOffer; readonly tenancy: Labels }[] {
  const tenancies = offer.dedicatedTypes === undefined ? (['default'] as const) : TENANCIES;
  return tenancies.map((tenancy) => ({ offer, tenancy: tenancyLabels(tenancy) }));
}

const EMPTY: Pick<
  PlannedClaim,
  'pods' | 'requests' | 'allocatable' | 'hourlyPrice' | 'hourlyPriceMax' | 'estimated'
> = {
  pods: [],
  requests: new Map(),
  allocatable: new Map(),
  hourlyPrice: 0,
  hourlyPriceMax: 0,
  estimated: false,
};

/** What a pool may choose: each of several values that it lists for a label that neither types nor offerings have. */
function openValues(
  offer: PoolOffer,
  types: readonly InstanceType[],
  specs: readonly PodSpec[],
): readonly (readonly (readonly [key: string, value: string])[])[] {
  const placement = placementRequirements(offer, specs);
  const [group = []] = placement.map(({ key, values }) => [...values].map((value) => [key, value] as const));
  const open = [...offer.pool.template.requirements, ...placement].filter(
    ({ key, complement, values }) =>
      !complement &&
      values.size > 1 &&
      key !== ZONE &&
      key !== ZONE_ID &&
      key !== CAPACITY_TYPE &&
      !types.some(({ labels }) => labels.has(key)),
  );
  if (open.length === 0) return [group];
  return open.flatMap(({ key, values }) => [...values].map((value) => [...group, [key, value] as const]));
}
