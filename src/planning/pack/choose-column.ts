/** Chooses what to launch for a pod: the pool by weight, then the offering whose room is used best for its price. */
import { append } from '../../domain/values/lists.js';
import type { Ask } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { rowCapacity } from '../model/launch/launchables.js';
import { LEAST_PRICE } from '../model/launch/resource-prices.js';
import { howManyFitRow, isRowNegative, rowOf, takeRoom } from '../model/launch/room.js';
import type { Problem } from '../model/problem.js';
import { type FillEstimate, valueOf } from './fill-estimate.js';
import type { PackingOrder } from './packing-order.js';
import { type Allows, mayOpen } from '../rules/may-open.js';
import type { Packing } from '../rules/packing.js';

interface Candidate {
  readonly column: number;
  readonly row: number;
  readonly price: number;
  /** Upper bound of worth per USD that any fill could reach. */
  readonly potential: number;
}

/** Pods and what they insist on. */
export interface AskedPods {
  readonly pods: PodClass;
  readonly ask: Ask;
}

/** What a node is sought for. */
interface Wanted {
  /** R amounts that it must have room for. */
  readonly needed: Float64Array;
  /** Template → which of its columns may be opened. */
  readonly isAllowed: (template: number) => Allows;
  /** USD/h that all pods still to place are worth. */
  readonly left: number;
  /** R amounts that are on it before it is filled. */
  readonly taken?: Float64Array;
}

/** Steps of looking at the price of one offering. */
const OFFERING_STEPS = 0.2;
/** Steps of estimating how one type would be filled. */
const ESTIMATE_STEPS = 8;
/** Differences in worth per USD below this are rounding. */
const TIE = 1e-9;

export class ColumnChoice {
  readonly #packing: Packing;
  readonly #makeEstimate: () => FillEstimate;
  /** Made when a column is to be chosen: often none is. */
  #estimate: FillEstimate | undefined;
  readonly #limitWeight: number;
  readonly #rowFactor: Float64Array | undefined;
  /** Templates of equal pool weight, highest first. */
  readonly #tiers: readonly (readonly number[])[];
  /** Row → USD/h that its room is worth; -1 while that is not known. */
  #values: Float64Array | undefined;

  constructor(
    packing: Packing,
    makeEstimate: () => FillEstimate,
    { limitWeight = 0, rowFactor }: Pick<PackingOrder, 'limitWeight' | 'rowFactor'> = {},
  ) {
    this.#packing = packing;
    this.#limitWeight = limitWeight;
    this.#rowFactor = rowFactor;
    this.#makeEstimate = makeEstimate;
    this.#tiers = tiersOf(packing.problem);
  }

  /**
   * The column to open for a class at position `from` of the order; undefined when no pool can hold one of its pods
   * now. `left` is the worth of all pods still to place, in USD/h.
   */
  choose(pods: PodClass, ask: Ask, from: number, left: number): number | undefined {
    // Preferences that exclude each other admit nothing, and there may be many levels of them.
    if (this.#packing.problem.admission.reach(ask.constraint) === 0) return undefined;
    const needed = this.#packing.roomNeeded(pods, ask);
    const isAllowed = (template: number): Allows => mayOpen(this.#packing, pods, ask, template);
    return this.#chooseFor({ needed, isAllowed, left }, from);
  }

  /** The same for pods that come to the node together, before any of the order. */
  chooseForAll(all: readonly AskedPods[], needed: Float64Array, left: number): number | undefined {
    const isAllowed = (template: number): Allows => {
      const allow = all.map(({ pods, ask }) => mayOpen(this.#packing, pods, ask, template));
      return (column) => allow.every((allows) => allows(column));
    };
    return this.#chooseFor({ needed, isAllowed, left, taken: needed }, 0);
  }

  #chooseFor(wanted: Wanted, from: number): number | undefined {
    for (const tier of this.#tiers) {
      const candidates = tier.flatMap((template) => this.#candidates(wanted, template));
      if (candidates.length > 0) return this.#best(candidates, wanted, from);
    }
    return undefined;
  }

  #best(candidates: Candidate[], { taken }: Wanted, from: number): number | undefined {
    const estimate = (this.#estimate ??= this.#makeEstimate());
    estimate.startAt(from);
    const ranking = new BestFirst(candidates, isBefore);
    let best: Candidate | undefined;
    let bestWorth = -1;
    const { launchables, worth: perUnit } = this.#packing.problem;
    const width = perUnit.length;
    const free = new Float64Array(width);
    const own = taken === undefined ? 0 : valueOf(taken, perUnit);
    for (let candidate = ranking.next(); candidate !== undefined; candidate = ranking.next()) {
      if (best !== undefined && candidate.potential <= bestWorth + TIE) break;
      this.#packing.steps += ESTIMATE_STEPS;
      for (let index = 0; index < width; index++)
        free[index] = launchables.net[candidate.row * width + index] ?? 0;
      if (taken !== undefined) takeRoom(taken, free, 1);
      const worth = (own + estimate.worthOf(candidate.column, free)) / candidate.price;
      if (worth > bestWorth + TIE) [best, bestWorth] = [candidate, worth];
    }
    return best?.column;
  }

  /** Per row that could hold what is needed now, its cheapest allowed column. */
  #candidates({ needed, isAllowed: allowed, left }: Wanted, template: number): readonly Candidate[] {
    const { launchables } = this.#packing.problem;
    const width = needed.length;
    const isAllowed = allowed(template);
    const result: Candidate[] = [];
    for (const row of launchables.templateRows[template] ?? []) {
      if (howManyFitRow(needed, launchables.net, row, 1) === 0) continue;
      if (isRowNegative(launchables.net, width, row) || !this.#packing.isWithinLimits(row)) continue;
      const column = this.#cheapest(row, isAllowed);
      if (column < 0) continue;
      const price =
        Math.max(LEAST_PRICE, launchables.price[column] ?? Infinity) * (this.#rowFactor?.[row] ?? 1) +
        this.#limitPrice(row, left);
      result.push({ column, row, price, potential: Math.min(this.#valueOfRow(row), left) / price });
    }
    return result;
  }

  /** USD/h that all the room of an empty node is worth. */
  #valueOfRow(row: number): number {
    const { launchables, worth } = this.#packing.problem;
    this.#values ??= new Float64Array(launchables.rowType.length).fill(-1);
    const known = this.#values[row] ?? -1;
    if (known >= 0) return known;
    return (this.#values[row] = valueOf(rowOf(launchables.net, worth.length, row), worth));
  }

  /** USD/h for what a node takes of its pool's limits: all that is left of one of them costs as much as all pods are worth. */
  #limitPrice(row: number, left: number): number {
    if (this.#limitWeight === 0) return 0;
    const { launchables } = this.#packing.problem;
    const share = this.#packing.usage.shareOfLeft(
      launchables.rowPool[row] ?? 0,
      rowCapacity(launchables, row),
    );
    return this.#limitWeight * share * left;
  }

  #cheapest(row: number, isAllowed: Allows): number {
    const { rowColumns, price } = this.#packing.problem.launchables;
    this.#packing.steps += OFFERING_STEPS * (rowColumns[row]?.length ?? 0);
    let best = -1;
    for (const column of rowColumns[row] ?? []) {
      if ((price[column] ?? Infinity) < (price[best] ?? Infinity) && isAllowed(column)) best = column;
    }
    return best;
  }
}

function isBefore(left: Candidate, right: Candidate): boolean {
  if (left.potential !== right.potential) return left.potential > right.potential;
  if (left.price !== right.price) return left.price < right.price;
  return left.column < right.column;
}

/** Templates of equal pool weight, highest first. */
export function tiersOf({ launchables }: Problem): readonly (readonly number[])[] {
  const byWeight = new Map<number, number[]>();
  for (const { index, offer } of launchables.templates) append(byWeight, offer.pool.weight, index);
  return [...byWeight].sort(([left], [right]) => right - left).map(([, templates]) => templates);
}

/** Items in order, of which only the first few are asked for: a binary heap, that sorts no more than it must. */
export class BestFirst<T> {
  readonly #heap: T[];
  readonly #isBefore: (left: T, right: T) => boolean;

  /** `isBefore` must be an order in which no two items are equal. The list is used up. */
  constructor(items: T[], isBefore: (left: T, right: T) => boolean) {
    this.#heap = items;
    this.#isBefore = isBefore;
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Takes the first of those that are left; undefined when there are none. */
  next(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) {
      heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const item = heap[from];
    if (item === undefined) return;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      if (child === undefined) break;
      const other = heap[below + 1];
      if (other !== undefined && this.#isBefore(other, child)) {
        child = other;
        below++;
      }
      if (!this.#isBefore(child, item)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = item;
  }
}
