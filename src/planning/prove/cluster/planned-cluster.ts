/** The cluster as a plan would make it: nodes and claims, with how many pods of which spec are on them. */
import { HOSTNAME } from '../../../domain/values/labels.js';
import { UNSCHEDULABLE_TAINT, type Taint } from '../../../domain/values/taint.js';
import type { Placement, Plan, PlannedClaim } from '../../plan.js';
import { compareText } from '../../snapshot/sorted-objects.js';
import type { PoolOffer } from '../../snapshot/cluster-input.js';
import { COMES, LEAVES, type PodColumns, type Snapshot } from '../../snapshot/snapshot.js';
import { FormSet, type FormSetTable } from './form-sets.js';

/** Pods of one spec on one place. */
export interface Stand {
  readonly place: Place;
  /** Index into `Snapshot.specs`. */
  readonly spec: number;
  /** Rows of those that the plan places. */
  readonly placed: readonly number[];
  /** How many run there already, and how many of these are being deleted. */
  bound: number;
  dying: number;
  /** Of those that stay otherwise, how many are on their way to another node, and how many on their way here. */
  leaving: number;
  coming: number;
}

const NO_ROWS: number[] = [];

/** A node that exists, or a claim that will become one. */
export class Place {
  readonly name: string;
  /** Index into `PlannedCluster.places`. */
  readonly index: number;
  /** Index into `Snapshot.nodes`, or -1 for a claim. */
  readonly node: number;
  readonly claim: PlannedClaim | undefined;
  /** Of the claim; undefined where the snapshot has no such pool. */
  readonly offer: PoolOffer | undefined;
  readonly taints: readonly Taint[];
  /** Without that of a cordon: spread looks at those that a node has (the node lifecycle controller gives it that one too). */
  readonly ownTaints: readonly Taint[];
  readonly set: FormSet;
  /** Rows of the pods that the plan places there. */
  readonly rows: number[] = [];
  readonly #pods: PodColumns;
  #boundRows = NO_ROWS;
  #stands: readonly Stand[] | undefined;

  constructor(
    facts: Pick<Place, 'name' | 'index' | 'node' | 'claim' | 'offer' | 'taints' | 'ownTaints' | 'set'>,
    pods: PodColumns,
  ) {
    this.#pods = pods;
    this.name = facts.name;
    this.index = facts.index;
    this.node = facts.node;
    this.claim = facts.claim;
    this.offer = facts.offer;
    this.taints = facts.taints;
    this.ownTaints = facts.ownTaints;
    this.set = facts.set;
  }

  /** Rows of the pods that run there. */
  get boundRows(): readonly number[] {
    return this.#boundRows;
  }

  /** Whether a pod of the DaemonSet runs there. */
  runs(daemonSet: number): boolean {
    return this.#boundRows.some((row) => this.#pods.daemonSet[row] === daemonSet);
  }

  /** All its pods by spec. Found when first asked for: most places are proven without. */
  get stands(): readonly Stand[] {
    return (this.#stands ??= standsOn(this, this.#pods));
  }

  /** The pods of some specs, for which `some` is 1. */
  standsOf(some: Uint8Array): readonly Stand[] {
    return standsOn(this, this.#pods, some);
  }

  addBound(row: number): void {
    if (this.#boundRows === NO_ROWS) this.#boundRows = [row];
    else this.#boundRows.push(row);
  }

  /** What a label may be there; undefined among the values where it may be missing. */
  values(key: string): readonly (string | undefined)[] {
    if (key === HOSTNAME && this.claim !== undefined) return [`claim ${this.name}`];
    return this.set.values(key);
  }

  /** The value that a label surely has; undefined when it has none or may have several. */
  value(key: string): string | undefined {
    const values = this.values(key);
    return values.length === 1 ? values[0] : undefined;
  }
}

/** While it is being counted; most stands of nodes hold no pod that is placed. */
interface OpenStand extends Stand {
  placed: number[];
}

/** The pods of a place by spec; of some specs, where `some` is 1 for these. */
function standsOn(place: Place, pods: PodColumns, some?: Uint8Array): readonly Stand[] {
  const { spec } = pods;
  const stands: OpenStand[] = [];
  for (const row of place.rows) {
    const own = spec[row] ?? -1;
    if (some !== undefined && some[own] !== 1) continue;
    const stand = standIn(stands, place, own);
    if (stand.placed === NO_ROWS) stand.placed = [row];
    else stand.placed.push(row);
  }
  for (const row of place.boundRows) {
    const own = spec[row] ?? -1;
    if (some !== undefined && some[own] !== 1) continue;
    countBound(standIn(stands, place, own), pods, row);
  }
  return stands;
}

function countBound(stand: OpenStand, { terminating, move }: PodColumns, row: number): void {
  stand.bound++;
  if (terminating[row] === 1) stand.dying++;
  else if (move[row] === LEAVES) stand.leaving++;
  else if (move[row] === COMES) stand.coming++;
}

/** The stand of a spec, made where there is none. */
function standIn(stands: OpenStand[], place: Place, spec: number): OpenStand {
  for (let at = stands.length - 1; at >= 0; at--) {
    const stand = stands[at];
    if (stand?.spec === spec) return stand;
  }
  const made: OpenStand = { place, spec, placed: NO_ROWS, bound: 0, dying: 0, leaving: 0, coming: 0 };
  stands.push(made);
  return made;
}

export interface PlannedCluster {
  readonly snapshot: Snapshot;
  /** All claims; nodes on which something is planned, and all others where pods look at other pods. */
  readonly places: readonly Place[];
  /** Spec → its pods by place, of specs that matter to others; not listed where there are none. Found when first asked for. */
  readonly standsOf: readonly (readonly Stand[] | undefined)[];
  /** `namespace/name` of pods that the plan answers not at all, twice, or somewhere that is not there. */
  readonly misplaced: readonly string[];
}

interface PlannedWith {
  readonly forms: FormSetTable;
  readonly isWhole: boolean;
  readonly related: Uint8Array;
}

/** `isWhole`: whether nodes matter on which nothing is planned. `related`: spec → 1 where it matters to others. */
export function plannedCluster(
  snapshot: Snapshot,
  plan: Plan,
  { forms, isWhole, related }: PlannedWith,
): PlannedCluster {
  const places = new Places(snapshot, plan, forms);
  if (isWhole) for (const index of snapshot.nodes.keys()) places.ofNode(index);
  const misplaced = new Answers(snapshot.pods).enter(plan, places);
  places.enterBound();
  let bySpec: readonly (readonly Stand[] | undefined)[] | undefined;
  return {
    snapshot,
    places: places.all,
    get standsOf() {
      return (bySpec ??= standsBySpec(places.all, snapshot.pods, related));
    },
    misplaced,
  };
}

function standsBySpec(
  places: readonly Place[],
  pods: PodColumns,
  related: Uint8Array,
): PlannedCluster['standsOf'] {
  const found = new Array<Stand[] | undefined>(related.length).fill(undefined);
  for (const place of places) {
    for (const stand of standsOn(place, pods, related)) {
      const known = found[stand.spec];
      if (known === undefined) found[stand.spec] = [stand];
      else known.push(stand);
    }
  }
  return found;
}

class Places {
  readonly all: Place[] = [];
  readonly #snapshot: Snapshot;
  readonly #forms: FormSetTable;
  readonly #ofNode: (Place | undefined)[];
  readonly #ofClaim = new Map<string, Place>();
  /** Of those that the plan names. */
  readonly #ofNodeName = new Map<string, Place>();

  constructor(snapshot: Snapshot, { claims }: Plan, forms: FormSetTable) {
    this.#snapshot = snapshot;
    this.#forms = forms;
    this.#ofNode = new Array<Place | undefined>(snapshot.nodes.length).fill(undefined);
    const offers = new Map(snapshot.pools.map((offer) => [offer.pool.name, offer]));
    for (const claim of claims) {
      const offer = offers.get(claim.nodePool);
      const set = offer === undefined ? new FormSet([]) : forms.of(claim, offer);
      const taints = offer?.pool.template.taints ?? [];
      const { name } = claim;
      const index = this.all.length;
      const facts = { name, index, node: -1, claim, offer, taints, ownTaints: taints, set };
      const place = new Place(facts, snapshot.pods);
      this.#ofClaim.set(name, this.#enter(place));
    }
  }

  #enter(place: Place): Place {
    this.all.push(place);
    return place;
  }

  ofNode(index: number): Place | undefined {
    const known = this.#ofNode[index];
    const node = this.#snapshot.nodes[index];
    if (known !== undefined || node === undefined) return known;
    const { name, taints, unschedulable } = node;
    const facts = {
      name,
      index: this.all.length,
      node: index,
      claim: undefined,
      offer: undefined,
      taints: unschedulable ? [...taints, UNSCHEDULABLE_TAINT] : taints,
      ownTaints: taints,
      set: this.#forms.ofNode(node),
    };
    const made = new Place(facts, this.#snapshot.pods);
    this.#ofNode[index] = this.#enter(made);
    return made;
  }

  named({ kind, name }: Placement['target']): Place | undefined {
    if (kind === 'NodeClaim') return this.#ofClaim.get(name);
    const known = this.#ofNodeName.get(name);
    if (known !== undefined) return known;
    const found = this.#searched(name);
    if (found !== undefined) this.#ofNodeName.set(name, found);
    return found;
  }

  /** Nodes are in the order of their names. */
  #searched(name: string): Place | undefined {
    const { nodes } = this.#snapshot;
    let [first, end] = [0, nodes.length];
    while (first < end) {
      const middle = (first + end) >> 1;
      if (compareText(nodes[middle]?.name ?? '', name) < 0) first = middle + 1;
      else end = middle;
    }
    return nodes[first]?.name === name ? this.ofNode(first) : undefined;
  }

  /** What runs on the nodes that are places. */
  enterBound(): void {
    const { node } = this.#snapshot.pods;
    for (let row = 0; row < node.length; row++) {
      const index = node[row] ?? -1;
      const place = index < 0 ? undefined : this.#ofNode[index];
      if (place === undefined) continue;
      place.addBound(row);
    }
  }
}

/** Rows that a plan answers. Plans and snapshots are in the order of their keys: mostly the next row is the one that is meant. */
class Answers {
  readonly #pods: PodColumns;
  readonly #isAnswered: Uint8Array;
  #rows: ReadonlyMap<string, number> | undefined;
  #next = 0;

  constructor(pods: PodColumns) {
    this.#pods = pods;
    this.#isAnswered = new Uint8Array(pods.keys.length);
  }

  /** Puts pods where the plan has them; returns those that are not answered once. */
  enter({ placements, unschedulable }: Plan, places: Places): readonly string[] {
    const misplaced: string[] = [];
    let [target, place] = [undefined as Placement['target'] | undefined, undefined as Place | undefined];
    for (const placement of placements) {
      const row = this.#answer(placement.pod);
      if (placement.target !== target) {
        target = placement.target;
        place = places.named(target);
      }
      if (row < 0 || place === undefined) misplaced.push(placement.pod);
      else place.rows.push(row);
    }
    this.#next = 0;
    for (const { pod } of unschedulable) if (this.#answer(pod) < 0) misplaced.push(pod);
    return [...misplaced, ...this.#unanswered()];
  }

  /** Pending pods that the plan does not name. */
  #unanswered(): readonly string[] {
    const { keys, node } = this.#pods;
    const isAnswered = this.#isAnswered;
    const missing: string[] = [];
    for (let row = 0; row < node.length; row++)
      if (isAnswered[row] === 0 && (node[row] ?? -1) < 0) missing.push(keys[row] ?? '');
    return missing;
  }

  /** The row of a pending pod, or -1 where it has none or was answered before. */
  #answer(pod: string): number {
    const row = this.#rowOf(pod);
    if (row < 0 || this.#isAnswered[row] === 1) return -1;
    this.#isAnswered[row] = 1;
    return row;
  }

  #rowOf(pod: string): number {
    const { keys, node } = this.#pods;
    if (this.#rows === undefined) {
      for (let row = this.#next; row < keys.length; row++) {
        if ((node[row] ?? -1) >= 0 || keys[row] !== pod) continue;
        this.#next = row + 1;
        return row;
      }
      const pending = [...keys.keys()].filter((row) => (node[row] ?? -1) < 0);
      this.#rows = new Map(pending.map((row) => [keys[row] ?? '', row]));
    }
    return this.#rows.get(pod) ?? -1;
  }
}
