/** The cluster as a plan would make it: every node and claim, with how many pods of which spec are on it. */
import type { InstanceType, Offering } from '../../domain/instance-type.js';
import { CAPACITY_TYPE, HOSTNAME, NODEPOOL, ZONE, type LabelLookup } from '../../domain/labels.js';
import { requirementsOf } from '../../domain/requirements.js';
import { UNSCHEDULABLE_TAINT, type Taint } from '../../domain/taint.js';
import type { Plan, PlannedClaim } from '../plan.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** Pods of one spec on one place. */
export interface Stand {
  /** Index into `Snapshot.specs`. */
  readonly spec: number;
  /** Rows of those that the plan places. */
  readonly placed: number[];
  /** How many run there already, and how many of these are being deleted. */
  bound: number;
  dying: number;
}

/** One node that a place is or may become. */
export interface Form {
  readonly labels: LabelLookup;
  /** undefined for a node that exists. */
  readonly type: InstanceType | undefined;
  /** Equal for forms of which the rules of nodes cannot tell one from the other; '' where nothing is remembered. */
  readonly key: string;
}

/** A node that exists, or a claim that will become one. */
export class Place {
  readonly name: string;
  /** Index into `Snapshot.nodes`, or -1 for a claim. */
  readonly node: number;
  readonly claim: PlannedClaim | undefined;
  readonly offer: PoolOffer | undefined;
  readonly taints: readonly Taint[];
  readonly forms: readonly Form[];
  readonly stands = new Map<number, Stand>();
  readonly #values = new Map<string, readonly (string | undefined)[]>();

  constructor(facts: Pick<Place, 'name' | 'node' | 'claim' | 'offer' | 'taints' | 'forms'>) {
    this.name = facts.name;
    this.node = facts.node;
    this.claim = facts.claim;
    this.offer = facts.offer;
    this.taints = facts.taints;
    this.forms = facts.forms;
  }

  /** What a label may be there; undefined among the values where it may be missing. */
  values(key: string): readonly (string | undefined)[] {
    if (key === HOSTNAME && this.claim !== undefined) return [`claim ${this.name}`];
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const found = [...new Set(this.forms.map(({ labels }) => labels.get(key)))];
    this.#values.set(key, found);
    return found;
  }

  /** The value that a label surely has; undefined when it has none or may have several. */
  value(key: string): string | undefined {
    const values = this.values(key);
    return values.length === 1 ? values[0] : undefined;
  }

  stand(spec: number): Stand {
    const known = this.stands.get(spec);
    if (known !== undefined) return known;
    const made: Stand = { spec, placed: [], bound: 0, dying: 0 };
    this.stands.set(spec, made);
    return made;
  }
}

export interface PlannedCluster {
  readonly snapshot: Snapshot;
  readonly places: readonly Place[];
  /** Spec → places with pods of it. */
  readonly placesOf: readonly (readonly Place[])[];
  /** `namespace/name` of pods that the plan answers not at all, twice, or somewhere that is not there. */
  readonly misplaced: readonly string[];
}

export function plannedCluster(snapshot: Snapshot, plan: Plan): PlannedCluster {
  const places = [...nodePlaces(snapshot), ...claimPlaces(snapshot, plan)];
  const { pods } = snapshot;
  for (const [row, node] of pods.node.entries()) {
    const stand = node < 0 ? undefined : places[node]?.stand(pods.spec[row] ?? -1);
    if (stand === undefined) continue;
    stand.bound += 1;
    stand.dying += pods.terminating[row] ?? 0;
  }
  const misplaced = enterPlacements(snapshot, plan, places);
  const placesOf: Place[][] = snapshot.specs.map(() => []);
  for (const place of places) for (const spec of place.stands.keys()) placesOf[spec]?.push(place);
  return { snapshot, places, placesOf, misplaced };
}

function enterPlacements({ pods }: Snapshot, plan: Plan, places: readonly Place[]): readonly string[] {
  const byName = new Map(
    places.map((place) => [`${place.node < 0 ? 'NodeClaim' : 'Node'} ${place.name}`, place]),
  );
  const rows = new Map<string, number>();
  for (const [row, key] of pods.keys.entries()) if ((pods.node[row] ?? -1) < 0) rows.set(key, row);
  const misplaced: string[] = [];
  for (const { pod, target } of plan.placements) {
    const row = rows.get(pod);
    const place = byName.get(`${target.kind} ${target.name}`);
    rows.delete(pod);
    if (row === undefined || place === undefined) misplaced.push(pod);
    else place.stand(pods.spec[row] ?? -1).placed.push(row);
  }
  for (const { pod } of plan.unschedulable) if (!rows.delete(pod)) misplaced.push(pod);
  return [...misplaced, ...rows.keys()];
}

function nodePlaces({ nodes }: Snapshot): readonly Place[] {
  return nodes.map(
    ({ name, labels, taints, unschedulable }, node) =>
      new Place({
        name,
        node,
        claim: undefined,
        offer: undefined,
        taints: unschedulable ? [...taints, UNSCHEDULABLE_TAINT] : taints,
        forms: [{ labels, type: undefined, key: '' }],
      }),
  );
}

function claimPlaces({ pools }: Snapshot, { claims }: Plan): readonly Place[] {
  const offers = new Map(pools.map((offer) => [offer.pool.name, offer]));
  const types = new Map(
    pools.map(({ pool, instanceTypes = [] }) => [
      pool.name,
      new Map(instanceTypes.map((type) => [type.name, type])),
    ]),
  );
  const known = new Map<string, readonly Form[]>();
  return claims.map((claim) => {
    const { name, nodePool, instanceTypes, zones, capacityTypes, chosenLabels } = claim;
    const offer = offers.get(nodePool);
    const chosen = [...chosenLabels].flat();
    const key = JSON.stringify([nodePool, instanceTypes, zones, capacityTypes, chosen]);
    const forms =
      known.get(key) ?? (offer === undefined ? [] : formsOf(claim, offer, types.get(nodePool) ?? new Map()));
    known.set(key, forms);
    return new Place({ name, node: -1, claim, offer, taints: offer?.pool.template.taints ?? [], forms });
  });
}

/** One form for each listed type in each listed zone and capacity type in which it is offered. */
function formsOf(
  { nodePool, instanceTypes, zones, capacityTypes, chosenLabels }: PlannedClaim,
  { pool }: PoolOffer,
  types: ReadonlyMap<string, InstanceType>,
): readonly Form[] {
  const decided = [...requirementsOf(pool.template.requirements).values()].flatMap(
    ({ key, complement, values, absent }): [string, string][] =>
      complement || absent || values.size !== 1 ? [] : [...values].map((value) => [key, value]),
  );
  const own = new Map([...decided, ...chosenLabels, ...pool.template.labels, [NODEPOOL, nodePool] as const]);
  const template = JSON.stringify([nodePool, ...[...chosenLabels].flat()]);
  return instanceTypes.flatMap((name) => {
    const type = types.get(name);
    if (type === undefined) return [];
    return type.offerings
      .filter((offering) => isListed(offering, zones, capacityTypes))
      .map((offering): Form => {
        const key = `${template} ${name} ${offering.zone} ${offering.capacityType}`;
        return { labels: new FormLabels(own, type, offering), type, key };
      });
  });
}

function isListed(
  { available, zone, capacityType }: Offering,
  zones: readonly string[],
  capacityTypes: readonly string[],
): boolean {
  return available && zones.includes(zone) && capacityTypes.includes(capacityType);
}

/** What the offering and the type say comes first: that is what the kubelet and the cloud provider report. */
class FormLabels implements LabelLookup {
  readonly #own: LabelLookup;
  readonly #type: InstanceType;
  readonly #offering: Offering;

  constructor(own: LabelLookup, type: InstanceType, offering: Offering) {
    this.#own = own;
    this.#type = type;
    this.#offering = offering;
  }

  get(key: string): string | undefined {
    if (key === ZONE) return this.#offering.zone;
    if (key === CAPACITY_TYPE) return this.#offering.capacityType;
    return this.#type.labels.get(key) ?? this.#own.get(key);
  }
}
