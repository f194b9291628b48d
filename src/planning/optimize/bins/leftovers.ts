/** What is not yet in a bin: items per class, quotas and accounts, and the classes that still have items, in blocks. */
import type { BinProblem } from '../problem/bin-problem.js';
import type { ClassTable } from './class-table.js';
import { flag, real, whole } from '../problem/typed-read.js';

/** Share of the active classes that may have run out before the lists are tidied. */
const TIDY_SHARE = 1 / 8;

/**
 * A block holds the classes of one requirement set and one zone mask, plain ones or others, so that a bin looks only at
 * blocks it may hold, and asks of the others only whether caps, quotas and resources keep them out.
 * Classes that ran out stay in their block until `tidy`.
 */
export class Leftovers {
  readonly remaining: Int32Array;
  /** quota groups × Z. */
  readonly quota: Int32Array;
  /** Limit → what is left. */
  readonly account: Float64Array;
  /** Cap group → items left of its classes. */
  readonly capped: Int32Array;
  /** Classes with items left, block by block. */
  readonly active: Int32Array;
  /** Block → its first position in `active`, and the one after its last. */
  readonly blockStart: Int32Array;
  readonly blockEnd: Int32Array;
  readonly blockSet: Int32Array;
  readonly blockMask: Int32Array;
  /** Block → 1 where its classes are plain. */
  readonly blockPlain: Uint8Array;
  readonly blocks: number;
  /** Block → USD/h that its items left are worth. */
  readonly blockWorth: Float64Array;
  /** Classes in the lists, and how many of them have run out. */
  listed = 0;
  exhausted = 0;
  /** Grows whenever anything else is left than before. */
  moves = 0;
  readonly #order: Int32Array;
  readonly #blockOf: Int32Array;
  readonly #worth: Float64Array;
  readonly #problem: BinProblem;

  /** `worth` is what an item of each class is worth in USD/h, wherever it goes. */
  constructor(problem: BinProblem, table: ClassTable, worth: Float64Array) {
    this.#problem = problem;
    this.#worth = worth;
    const { classes, accounts } = problem;
    this.remaining = new Int32Array(classes.count);
    this.quota = new Int32Array(problem.quota.length);
    this.account = new Float64Array(accounts.limits);
    this.capped = new Int32Array(problem.cap.length);
    this.#order = inBlocks(problem, table);
    this.active = new Int32Array(classes.count);
    this.#blockOf = new Int32Array(classes.count);
    const starts: number[] = [];
    for (let i = 0; i < classes.count; i++) {
      const k = whole(this.#order, i);
      if (i === 0 || compareBlocks(problem, table.plain, whole(this.#order, i - 1), k) !== 0) starts.push(i);
      this.#blockOf[k] = starts.length - 1;
    }
    this.blocks = starts.length;
    this.blockWorth = new Float64Array(starts.length);
    this.blockStart = Int32Array.from([...starts, classes.count]);
    this.blockEnd = new Int32Array(starts.length);
    this.blockSet = Int32Array.from(starts, (i) => whole(classes.requirementSet, whole(this.#order, i)));
    this.blockMask = Int32Array.from(starts, (i) => whole(classes.zoneMask, whole(this.#order, i)));
    this.blockPlain = Uint8Array.from(starts, (i) => flag(table.plain, whole(this.#order, i)));
  }

  /** Everything is to be packed, but for the classes of `hopeless`. */
  reset(hopeless: Uint8Array): void {
    const { classes, quota, accounts } = this.#problem;
    this.remaining.set(classes.items);
    for (let k = 0; k < classes.count; k++) if (hopeless[k] === 1) this.remaining[k] = 0;
    this.quota.set(quota);
    this.account.set(accounts.left);
    this.list();
  }

  /** Lists again the classes that have items left. */
  list(): void {
    this.moves++;
    this.active.set(this.#order);
    this.blockEnd.set(this.blockStart.subarray(1));
    this.tidy();
    this.capped.fill(0);
    this.blockWorth.fill(0);
    for (let k = 0; k < this.remaining.length; k++) this.#count(k, whole(this.remaining, k));
  }

  /** Takes classes that ran out off the lists. */
  tidy(): void {
    this.listed = 0;
    for (let block = 0; block < this.blocks; block++) {
      const start = whole(this.blockStart, block);
      const end = whole(this.blockEnd, block);
      let kept = start;
      for (let i = start; i < end; i++) {
        const k = whole(this.active, i);
        if (whole(this.remaining, k) > 0) this.active[kept++] = k;
      }
      this.blockEnd[block] = kept;
      this.listed += kept - start;
    }
    this.exhausted = 0;
  }

  tidyWhenWorthIt(): void {
    if (this.exhausted > this.listed * TIDY_SHARE) this.tidy();
  }

  isEmpty(): boolean {
    return this.exhausted === this.listed;
  }

  /** Puts `items` of a class into a bin of a zone, or back where negative; the lists are not touched. */
  move(k: number, zone: number, items: number): void {
    const { classes, zones } = this.#problem;
    this.moves++;
    const before = whole(this.remaining, k);
    this.remaining[k] = before - items;
    if (before === items) this.exhausted++;
    this.#count(k, -items);
    const group = whole(classes.quotaGroup, k);
    if (group >= 0) this.quota[group * zones + zone] = whole(this.quota, group * zones + zone) - items;
  }

  #count(k: number, items: number): void {
    const block = whole(this.#blockOf, k);
    this.blockWorth[block] = real(this.blockWorth, block) + items * real(this.#worth, k);
    const cap = whole(this.#problem.classes.capGroup, k);
    if (cap >= 0) this.capped[cap] = whole(this.capped, cap) + items;
  }

  /** Whether the account of a bin type can take its charge. */
  canBuy(binType: number): boolean {
    const { binTypes, accounts } = this.#problem;
    const own = whole(binTypes.account, binType);
    if (own < 0) return true;
    const first = whole(accounts.first, own);
    for (let a = 0; a < accounts.width; a++) {
      const charge = binTypes.charge[binType * accounts.width + a] ?? 0;
      if (charge > 0 && charge > (this.account[first + a] ?? 0)) return false;
    }
    return true;
  }

  /** Charges the bin type's account, or gives back where `times` is negative. */
  buy(binType: number, times: number): void {
    const { binTypes, accounts } = this.#problem;
    const own = whole(binTypes.account, binType);
    if (own < 0) return;
    const first = whole(accounts.first, own);
    for (let a = 0; a < accounts.width && first + a < accounts.limits; a++) {
      const charge = binTypes.charge[binType * accounts.width + a] ?? 0;
      this.account[first + a] = (this.account[first + a] ?? 0) - times * charge;
    }
  }
}

/** By requirement set, then zone mask, then whether the class is plain. */
function compareBlocks({ classes }: BinProblem, plain: Uint8Array, a: number, b: number): number {
  return (
    whole(classes.requirementSet, a) - whole(classes.requirementSet, b) ||
    whole(classes.zoneMask, a) - whole(classes.zoneMask, b) ||
    flag(plain, b) - flag(plain, a)
  );
}

/** Classes by block, then by size: what a bin has no room for is contiguous. */
function inBlocks(problem: BinProblem, { plain, cpu, memory }: ClassTable): Int32Array {
  return Int32Array.from({ length: problem.classes.count }, (_, k) => k).sort(
    (a, b) =>
      compareBlocks(problem, plain, a, b) ||
      real(cpu, a) - real(cpu, b) ||
      real(memory, a) - real(memory, b) ||
      a - b,
  );
}
