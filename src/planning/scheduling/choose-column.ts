/** Chooses what to launch for a pod: the pool by weight, then the offering whose room is used best for its price. */
import type { Ask } from './ask.js';
import { NEW_HOST } from './domains.js';
import { valueOf, type FillEstimate } from './fill-estimate.js';
import { range } from './launchables.js';
import { Flexibility } from './flexibility.js';
import type { Packing } from './packing.js';
import type { PodClass } from './pod-class.js';
import { howManyFit } from './targets.js';

interface Candidate {
  readonly column: number;
  readonly row: number;
  readonly price: number;
  /** Upper bound of worth per USD that any fill could reach. */
  readonly potential: number;
}

/** Differences in worth per USD below this are rounding. */
const TIE = 1e-9;

export class ColumnChoice {
  readonly #packing: Packing;
  readonly #estimate: FillEstimate;
  readonly #flexibility: Flexibility;
  /** Templates of equal pool weight, highest first. */
  readonly #tiers: readonly (readonly number[])[];

  constructor(packing: Packing, estimate: FillEstimate) {
    this.#packing = packing;
    this.#estimate = estimate;
    this.#flexibility = new Flexibility(packing.problem);
    this.#tiers = tiersOf(packing);
  }

  /**
   * The column to open for a class at position `from` of the order; undefined when no pool can hold one of its pods
   * now. `left` is the worth of all pods still to place, in USD/h.
   */
  choose(pods: PodClass, ask: Ask, from: number, left: number): number | undefined {
    for (const tier of this.#tiers) {
      const candidates = tier.flatMap((template) => this.#candidates(pods, ask, template, left));
      if (candidates.length > 0) return this.#best(candidates, from);
    }
    return undefined;
  }

  #best(candidates: Candidate[], from: number): number | undefined {
    candidates.sort((a, b) => b.potential - a.potential || a.price - b.price || a.column - b.column);
    let best: Candidate | undefined;
    let bestWorth = -1;
    const { net } = this.#packing.problem.launchables;
    const width = this.#packing.problem.snapshot.resources.length;
    for (const candidate of candidates) {
      if (best !== undefined && candidate.potential <= bestWorth + TIE) break;
      const free = net.slice(candidate.row * width, (candidate.row + 1) * width);
      const worth = this.#estimate.worthOf(candidate.column, free, from) / candidate.price;
      if (worth > bestWorth + TIE) [best, bestWorth] = [candidate, worth];
    }
    return best?.column;
  }

  /** Per row that could hold a pod of the class now, its cheapest allowed column. */
  #candidates(pods: PodClass, ask: Ask, template: number, left: number): readonly Candidate[] {
    const { launchables, worth, snapshot } = this.#packing.problem;
    const width = snapshot.resources.length;
    const needed = this.#packing.roomNeeded(pods);
    return range(launchables.firstRow, template).flatMap((row): readonly Candidate[] => {
      const free = launchables.net.subarray(row * width, (row + 1) * width);
      if (howManyFit(needed, free, 1) === 0) return [];
      const pool = launchables.rowTemplate[row]?.pool ?? 0;
      if (this.#packing.usage.exceeded(pool, launchables.rowType[row]?.capacity ?? new Map()) !== undefined)
        return [];
      const column = this.#cheapest(pods, ask, row);
      if (column === undefined) return [];
      const price = launchables.price[column] ?? Infinity;
      return [{ column, row, price, potential: Math.min(valueOf(free, worth), left) / price }];
    });
  }

  #cheapest(pods: PodClass, ask: Ask, row: number): number | undefined {
    const { launchables, admission } = this.#packing.problem;
    const admitted = admission.columns(ask.constraint);
    let best: number | undefined;
    for (const column of range(launchables.firstColumn, row)) {
      const price = launchables.price[column] ?? Infinity;
      if (admitted[column] !== 1 || price >= (launchables.price[best ?? -1] ?? Infinity)) continue;
      if (this.#packing.counts.violated(pods, ask, { target: NEW_HOST, column }) !== undefined) continue;
      const { requests } = pods;
      if (this.#flexibility.tooFew({ column, requests, asks: new Set([ask]), classes: [pods] }) !== undefined)
        continue;
      best = column;
    }
    return best;
  }
}

function tiersOf({ problem: { launchables } }: Packing): readonly (readonly number[])[] {
  const byWeight = new Map<number, number[]>();
  for (const { index, offer } of launchables.templates) {
    const tier = byWeight.get(offer.pool.weight);
    if (tier === undefined) byWeight.set(offer.pool.weight, [index]);
    else tier.push(index);
  }
  return [...byWeight].sort(([left], [right]) => right - left).map(([, templates]) => templates);
}
