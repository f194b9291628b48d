/** What an instance can hold at most, by the worth of pods: a linear program with one row per resource. */
import { at, type Relaxation } from './relaxation.js';

const MOST_PIVOTS = 200;
const TOLERANCE = 1e-12;

/**
 * USD/h that no content of the instance is worth more than, when pods may be divided. Found by the simplex method, but
 * right whatever that comes to: the answer is the worth of the instance's room at prices of resources under which no pod
 * costs less than it is worth.
 */
export function fillValue(relaxation: Relaxation, worth: Float64Array, instance: number): number {
  const { resources, classes, instances } = relaxation;
  const capacity = instances.capacity.subarray(instance * resources, (instance + 1) * resources);
  const admitted = admittedClasses(relaxation, worth, instance);
  if (admitted.length === 0) return 0;
  const prices = new Knapsack({ requests: classes.requests, worth, capacity, admitted }).prices();
  let stretch = 0;
  for (const index of admitted) {
    const cost = dot(classes.requests, index * resources, prices);
    if (cost <= 0) return Infinity;
    stretch = Math.max(stretch, at(worth, index) / cost);
  }
  return stretch * dot(capacity, 0, prices);
}

function admittedClasses(
  { classes, admits }: Relaxation,
  worth: Float64Array,
  instance: number,
): readonly number[] {
  const result: number[] = [];
  for (let index = 0; index < classes.count; index++)
    if (admits[instance * classes.count + index] === 1 && at(worth, index) > 0) result.push(index);
  return result;
}

function dot(values: Float64Array, from: number, prices: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < prices.length; index++) sum += at(values, from + index) * at(prices, index);
  return sum;
}

interface KnapsackInput {
  /** classes × R. */
  readonly requests: Float64Array;
  readonly worth: Float64Array;
  /** R. */
  readonly capacity: Float64Array;
  readonly admitted: readonly number[];
}

/** The revised simplex method, starting from an empty instance; the basis has as many columns as there are resources. */
class Knapsack {
  readonly #input: KnapsackInput;
  readonly #size: number;
  /** Rows × rows. */
  readonly #inverse: Float64Array;
  /** Amounts of the basic columns. */
  readonly #amounts: Float64Array;
  /** Worth of the basic columns; 0 for room that is left. */
  readonly #basicWorth: Float64Array;

  constructor(input: KnapsackInput) {
    this.#input = input;
    this.#size = input.capacity.length;
    this.#inverse = new Float64Array(this.#size ** 2);
    for (let row = 0; row < this.#size; row++) this.#inverse[row * this.#size + row] = 1;
    this.#amounts = Float64Array.from(input.capacity);
    this.#basicWorth = new Float64Array(this.#size);
  }

  /** Prices of the resources at the best content found; none is below 0. */
  prices(): Float64Array {
    for (let pivots = 0; pivots < MOST_PIVOTS; pivots++) {
      const prices = this.#duals();
      if (!this.#improve(prices)) break;
    }
    return this.#duals().map((price) => Math.max(0, price));
  }

  #duals(): Float64Array {
    const result = new Float64Array(this.#size);
    for (let row = 0; row < this.#size; row++)
      for (let column = 0; column < this.#size; column++)
        result[column] =
          at(result, column) + at(this.#basicWorth, row) * at(this.#inverse, row * this.#size + column);
    return result;
  }

  /** Takes in the class that gains most by its share of what it is worth, or room that has a price below 0. */
  #improve(prices: Float64Array): boolean {
    const { requests, worth, admitted } = this.#input;
    let best = -1;
    let most = 1 + 1e-10;
    for (const index of admitted) {
      const cost = dot(requests, index * this.#size, prices);
      const gain = cost <= 0 ? Infinity : at(worth, index) / cost;
      if (gain > most) [best, most] = [index, gain];
    }
    if (best >= 0) return this.#enter((row) => at(requests, best * this.#size + row), at(worth, best));
    const unused = prices.findIndex((price) => price < -TOLERANCE);
    return unused >= 0 && this.#enter((row) => (row === unused ? 1 : 0), 0);
  }

  #enter(column: (row: number) => number, worth: number): boolean {
    const size = this.#size;
    const direction = new Float64Array(size);
    for (let row = 0; row < size; row++)
      for (let other = 0; other < size; other++)
        direction[row] = at(direction, row) + at(this.#inverse, row * size + other) * column(other);
    const leaving = this.#leaving(direction);
    if (leaving < 0) return false;
    this.#pivot(direction, leaving);
    this.#basicWorth[leaving] = worth;
    return true;
  }

  #leaving(direction: Float64Array): number {
    let leaving = -1;
    let step = Infinity;
    for (let row = 0; row < this.#size; row++) {
      if (at(direction, row) <= TOLERANCE) continue;
      const length = at(this.#amounts, row) / at(direction, row);
      if (length < step) [leaving, step] = [row, length];
    }
    return leaving;
  }

  #pivot(direction: Float64Array, leaving: number): void {
    const size = this.#size;
    const scale = 1 / at(direction, leaving);
    for (let column = 0; column < size; column++)
      this.#inverse[leaving * size + column] = at(this.#inverse, leaving * size + column) * scale;
    this.#amounts[leaving] = at(this.#amounts, leaving) * scale;
    for (let row = 0; row < size; row++) {
      const share = at(direction, row);
      if (row === leaving || share === 0) continue;
      for (let column = 0; column < size; column++) {
        const cell = row * size + column;
        this.#inverse[cell] = at(this.#inverse, cell) - share * at(this.#inverse, leaving * size + column);
      }
      this.#amounts[row] = Math.max(0, at(this.#amounts, row) - share * at(this.#amounts, leaving));
    }
  }
}
