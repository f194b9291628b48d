/** What pods would cost on a node yet to be launched: pods without an alternative, or with an expensive one, get paid room first. */
import type { Packing } from '../rules/packing.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import { rowCapacity } from '../model/launch/launchables.js';
import { LEAST_PRICE, resourcePrices } from '../model/launch/resource-prices.js';
import { howManyFitNew, howManyFitRow, rowOf, takeRoom } from '../model/launch/room.js';
import { PoolUsage } from '../model/pool-usage.js';
import { valueOf } from './fill-estimate.js';

/** Sets of columns that are priced apart; pods of others are priced as though they could go anywhere. */
const MOST_SETS = 24;

class Alternatives {
  readonly #problem: Problem;
  /** Admitted columns → R prices, USD/h per unit; found when a price is first asked for. */
  #perUnit: ReadonlyMap<Uint8Array, Float64Array> | undefined;
  readonly #known = new Map<number, number>();
  /** Class → 1 where some node that can be launched holds it, 0 where none does. */
  readonly #isHeld: Int8Array;
  /** Rows of which the pools' limits let one more node be launched before anything is; found when first asked for. */
  #openRows: readonly number[] | undefined;
  /** Class → whether it has a place, were it alone. */
  readonly #hasPlace = new Map<number, boolean>();

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#isHeld = new Int8Array(problem.classes.length).fill(-1);
  }

  #findPrices(): ReadonlyMap<Uint8Array, Float64Array> {
    const problem = this.#problem;
    const found = new Map<Uint8Array, Float64Array>();
    const demands = new Map<Uint8Array, Float64Array>();
    for (const pods of problem.classes) {
      const admitted = this.#admitted(pods);
      if (admitted === undefined) continue;
      const demand = demands.get(admitted) ?? new Float64Array(pods.requests.length);
      takeRoom(pods.requests, demand, -pods.pods.length);
      demands.set(admitted, demand);
    }
    if (demands.size > MOST_SETS) return found;
    for (const [admitted, demand] of demands) found.set(admitted, this.#pricesOf(admitted, demand));
    return found;
  }

  #admitted({ asks }: PodClass): Uint8Array | undefined {
    const constraint = asks.at(-1)?.constraint;
    return constraint && this.#problem.admission.columns(constraint);
  }

  #pricesOf(admitted: Uint8Array, demand: Float64Array): Float64Array {
    const { launchables, snapshot } = this.#problem;
    const width = snapshot.resources.length;
    const rows: number[] = [];
    const price: number[] = [];
    launchables.rowColumns.forEach((columns, row) => {
      let cheapest = Infinity;
      for (const column of columns)
        if (admitted[column] === 1) cheapest = Math.min(cheapest, launchables.price[column] ?? Infinity);
      if (cheapest === Infinity) return;
      rows.push(row);
      price.push(Math.max(LEAST_PRICE, cheapest));
    });
    const capacity = new Float64Array(rows.length * width);
    rows.forEach((row, index) => {
      capacity.set(rowOf(launchables.net, width, row), index * width);
    });
    return resourcePrices(demand, { capacity, price: Float64Array.from(price) }).perUnit;
  }

  /** USD/h for one pod of the class, as a share of nodes that are full; Infinity where none that can be launched holds it. */
  of(pods: PodClass): number {
    const known = this.#known.get(pods.index);
    if (known !== undefined) return known;
    const made = this.#find(pods);
    this.#known.set(pods.index, made);
    return made;
  }

  #find(pods: PodClass): number {
    const admitted = this.#admitted(pods);
    if (admitted === undefined) return 0;
    if (this.isNone(pods)) return Infinity;
    this.#perUnit ??= this.#findPrices();
    return valueOf(pods.requests, this.#perUnit.get(admitted) ?? this.#problem.worth);
  }

  /** Whether no node that can be launched holds the class. */
  isNone(pods: PodClass): boolean {
    const known = this.#isHeld[pods.index] ?? -1;
    if (known >= 0) return known === 0;
    const { launchables, rowPrices } = this.#problem;
    const admitted = this.#admitted(pods);
    const isHeld =
      admitted === undefined ||
      launchables.templates.some(({ index }) => rowPrices.holds(index, admitted, pods.requests));
    this.#isHeld[pods.index] = isHeld ? 1 : 0;
    return !isHeld;
  }

  /** Whether a node that exists, or one that limits let be launched, holds the class. */
  hasPlace(pods: PodClass): boolean {
    const known = this.#hasPlace.get(pods.index);
    if (known !== undefined) return known;
    const found = this.#mayCome(pods) || nodesFor(this.#problem, pods) > 0;
    this.#hasPlace.set(pods.index, found);
    return found;
  }

  #mayCome(pods: PodClass): boolean {
    const admitted = this.#admitted(pods);
    if (admitted === undefined || this.isNone(pods)) return false;
    const { launchables, snapshot } = this.#problem;
    this.#openRows ??= rowsWithinLimits(this.#problem);
    return this.#openRows.some(
      (row) =>
        howManyFitNew(pods.requests, rowOf(launchables.net, snapshot.resources.length, row), 1) === 1 &&
        launchables.rowColumns[row]?.some((column) => admitted[column] === 1),
    );
  }
}

function rowsWithinLimits({ launchables, snapshot }: Problem): readonly number[] {
  const usage = new PoolUsage(snapshot);
  return [...launchables.rowType.keys()].filter((row) =>
    usage.hasRoom(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row)),
  );
}

const ofProblem = new WeakMap<Problem, Alternatives>();

function alternativesOf(problem: Problem): Alternatives {
  const known = ofProblem.get(problem) ?? new Alternatives(problem);
  ofProblem.set(problem, known);
  return known;
}

/**
 * The classes in the order in which they fill nodes that exist: those without an alternative, fewest nodes first; then, where
 * there is not room for all, those that save most for the share of the scarce resources that they take. Else as they come.
 */
export function nodeOrder(packing: Packing, classes: readonly PodClass[]): readonly PodClass[] {
  const { problem } = packing;
  if (problem.snapshot.nodes.length === 0) return classes;
  const alternatives = alternativesOf(problem);
  const scarcity = scarcityOnNodes(packing, classes);
  if (scarcity === undefined && !classes.some((pods) => alternatives.isNone(pods))) return classes;
  const savings = classes.map((pods) => {
    if (scarcity === undefined || alternatives.isNone(pods)) return 0;
    return alternatives.of(pods) / Math.max(LEAST, valueOf(pods.requests, scarcity));
  });
  const most = Math.max(LEAST, ...savings);
  const ranked = classes.map((pods, position) => ({
    pods,
    nodes: alternatives.isNone(pods) ? nodesFor(problem, pods) : Infinity,
    // Small differences count for less than the order of sizes, which fills nodes best.
    rank: Math.floor(Math.log(most / Math.max(LEAST, savings[position] ?? 0)) / Math.log(MUCH)),
  }));
  return ranked
    .sort((left, right) => compare(left.nodes, right.nodes) || left.rank - right.rank)
    .map(({ pods }) => pods);
}

/** Keeps quotients finite. */
const LEAST = 1e-12;
/** So many times more saved is much more. */
const MUCH = 4;

/** The classes that nothing holds which can be launched, in the order in which they fill nodes. */
export function withoutAlternative(packing: Packing, classes: readonly PodClass[]): readonly PodClass[] {
  if (packing.problem.snapshot.nodes.length === 0) return [];
  const alternatives = alternativesOf(packing.problem);
  return nodeOrder(
    packing,
    classes.filter((pods) => alternatives.isNone(pods)),
  );
}

/** Whether a node that exists, or one that limits let be launched, would hold a pod of the class, were it alone. */
export function hasAnyPlace(problem: Problem, pods: PodClass): boolean {
  return alternativesOf(problem).hasPlace(pods);
}

/** USD/h of one pod of each class on a node that is launched, as a share of nodes that are full; Infinity where none holds it. */
export function alternativePrices(problem: Problem, classes: readonly PodClass[]): readonly number[] {
  const alternatives = alternativesOf(problem);
  return classes.map((pods) => alternatives.of(pods));
}

/** R numbers: the price of a unit whose room on nodes is asked for so many times over; undefined where there is room for all. */
function scarcityOnNodes(
  { problem: { nodeFree, snapshot }, remaining }: Packing,
  classes: readonly PodClass[],
): Float64Array | undefined {
  const width = snapshot.resources.length;
  const free = new Float64Array(width);
  for (let at = 0; at < nodeFree.length; at++)
    free[at % width] = (free[at % width] ?? 0) + Math.max(0, nodeFree[at] ?? 0);
  const demand = new Float64Array(width);
  for (const { index, requests } of classes) takeRoom(requests, demand, -(remaining[index] ?? 0));
  if (demand.every((amount, axis) => amount <= (free[axis] ?? 0))) return undefined;
  return free.map((room, axis) => (room > 0 ? ((demand[axis] ?? 0) / room) ** 2 / room : 0));
}

/** How many nodes could hold a pod of the class, were they as empty as they are now. */
function nodesFor({ snapshot, nodeFree, admission }: Problem, { asks, requests }: PodClass): number {
  const constraint = asks.at(-1)?.constraint;
  if (constraint === undefined) return 0;
  let count = 0;
  for (let node = 0; node < snapshot.nodes.length; node++)
    if (howManyFitRow(requests, nodeFree, node, 1) === 1 && admission.node(constraint, node)) count++;
  return count;
}

function compare(left: number, right: number): number {
  return left === right ? 0 : left - right;
}
