/**
 * What one unit of each resource is worth: the dual prices of the linear program "cover the total demand with fractions
 * of nodes at least cost". They rank types by what their room is worth, and give a lower bound on any plan's price.
 */

/** Candidate nodes: `capacity` is n × R, `price` n, USD/h. */
export interface PricedCapacity {
  readonly capacity: Float64Array;
  readonly price: Float64Array;
}

export interface ResourcePrices {
  /** R prices in USD/h per unit, none negative; no node's capacity is worth more than its price. */
  readonly perUnit: Float64Array;
  /** USD/h: demand valued at these prices (weak duality makes it a bound). 0 when nothing can be bought. */
  readonly lowerBound: number;
}

/** USD/h below which an offering is free (reserved capacity is): worth per price must stay finite. */
export const LEAST_PRICE = 1e-6;

/** Pivots after which prices are taken as they are; scaled, they are a valid bound all the same. */
const MAX_PIVOTS = 200;
const TOLERANCE = 1e-9;

/** Solves the program by the revised simplex method; rows are the resources with demand (a handful). */
export function resourcePrices(demand: Float64Array, nodes: PricedCapacity): ResourcePrices {
  const width = demand.length;
  const rows = [...demand.keys()].filter(
    (resource) => (demand[resource] ?? 0) > 0 && isOffered(resource, width, nodes),
  );
  const perUnit = new Float64Array(width);
  if (rows.length === 0) return { perUnit, lowerBound: 0 };
  const basis = new Basis(rows.length, sharesOfDemand(rows, demand, nodes), nodes.price);
  for (let pivots = 0; pivots < MAX_PIVOTS && basis.improve(); pivots++);
  const worst = Math.max(1, basis.highestPrice());
  let lowerBound = 0;
  rows.forEach((resource, row) => {
    const worth = Math.max(0, basis.dual(row)) / worst;
    perUnit[resource] = worth / (demand[resource] ?? 1);
    lowerBound += worth;
  });
  return { perUnit, lowerBound };
}

function isOffered(resource: number, width: number, { capacity, price }: PricedCapacity): boolean {
  for (let node = 0; node < price.length; node++)
    if ((capacity[node * width + resource] ?? 0) > 0) return true;
  return false;
}

/** n × rows: what share of the whole demand one node covers; bytes and millicores become comparable. */
function sharesOfDemand(
  rows: readonly number[],
  demand: Float64Array,
  { capacity, price }: PricedCapacity,
): Float64Array {
  const shares = new Float64Array(price.length * rows.length);
  for (let node = 0; node < price.length; node++) {
    rows.forEach((resource, row) => {
      const amount = Math.max(0, capacity[node * demand.length + resource] ?? 0);
      shares[node * rows.length + row] = amount / (demand[resource] ?? 1);
    });
  }
  return shares;
}

/** A feasible basis: at first, for every row, a fraction of the node that is cheapest for that row alone. */
class Basis {
  readonly #size: number;
  /** n × size. */
  readonly #shares: Float64Array;
  readonly #price: Float64Array;
  /** size × size. */
  readonly #inverse: Float64Array;
  readonly #cost: Float64Array;
  readonly #value: Float64Array;
  #duals: Float64Array;

  constructor(size: number, shares: Float64Array, price: Float64Array) {
    this.#size = size;
    this.#shares = shares;
    this.#price = price;
    this.#inverse = new Float64Array(size * size);
    for (let row = 0; row < size; row++) this.#inverse[row * size + row] = 1;
    this.#cost = Float64Array.from({ length: size }, (_, row) => this.#cheapestUnit(row));
    this.#value = new Float64Array(size).fill(1);
    this.#duals = this.#computeDuals();
  }

  #cheapestUnit(row: number): number {
    let best = Infinity;
    for (let node = 0; node < this.#price.length; node++) {
      const share = this.#shares[node * this.#size + row] ?? 0;
      if (share > 0) best = Math.min(best, (this.#price[node] ?? 0) / share);
    }
    return best;
  }

  dual(row: number): number {
    return this.#duals[row] ?? 0;
  }

  /** Largest ratio of a node's worth at the current prices to what it costs. */
  highestPrice(): number {
    return this.#mostUndervalued().ratio;
  }

  /** One pivot; false when no column improves. */
  improve(): boolean {
    const surplus = this.#duals.findIndex((dual) => dual < -TOLERANCE);
    if (surplus >= 0) return this.#pivot(this.#surplusOf(surplus), 0);
    const { node, ratio } = this.#mostUndervalued();
    if (ratio <= 1 + TOLERANCE) return false;
    return this.#pivot(
      this.#shares.subarray(node * this.#size, (node + 1) * this.#size),
      this.#price[node] ?? 0,
    );
  }

  #mostUndervalued(): { readonly node: number; readonly ratio: number } {
    let best = { node: -1, ratio: 0 };
    for (let node = 0; node < this.#price.length; node++) {
      let worth = 0;
      for (let row = 0; row < this.#size; row++) {
        worth += Math.max(0, this.dual(row)) * (this.#shares[node * this.#size + row] ?? 0);
      }
      const ratio = worth / (this.#price[node] ?? Infinity);
      if (ratio > best.ratio) best = { node, ratio };
    }
    return best;
  }

  #surplusOf(row: number): Float64Array {
    const column = new Float64Array(this.#size);
    column[row] = -1;
    return column;
  }

  #pivot(column: Float64Array, cost: number): boolean {
    const direction = this.#multiply(column);
    let leaving = -1;
    let step = Infinity;
    direction.forEach((value, row) => {
      const ratio = value > TOLERANCE ? (this.#value[row] ?? 0) / value : Infinity;
      if (ratio < step) [leaving, step] = [row, ratio];
    });
    if (leaving < 0) return false;
    this.#eliminate(direction, leaving, step);
    this.#cost[leaving] = cost;
    this.#duals = this.#computeDuals();
    return true;
  }

  #multiply(column: Float64Array): Float64Array {
    const result = new Float64Array(this.#size);
    for (let row = 0; row < this.#size; row++) {
      for (let k = 0; k < this.#size; k++) {
        result[row] = (result[row] ?? 0) + (this.#inverse[row * this.#size + k] ?? 0) * (column[k] ?? 0);
      }
    }
    return result;
  }

  #eliminate(direction: Float64Array, leaving: number, step: number): void {
    const size = this.#size;
    const pivot = direction[leaving] ?? 1;
    for (let k = 0; k < size; k++)
      this.#inverse[leaving * size + k] = (this.#inverse[leaving * size + k] ?? 0) / pivot;
    for (let row = 0; row < size; row++) {
      if (row === leaving) continue;
      const factor = direction[row] ?? 0;
      for (let k = 0; k < size; k++) {
        this.#inverse[row * size + k] =
          (this.#inverse[row * size + k] ?? 0) - factor * (this.#inverse[leaving * size + k] ?? 0);
      }
      this.#value[row] = Math.max(0, (this.#value[row] ?? 0) - factor * step);
    }
    this.#value[leaving] = step;
  }

  #computeDuals(): Float64Array {
    const duals = new Float64Array(this.#size);
    for (let k = 0; k < this.#size; k++) {
      for (let row = 0; row < this.#size; row++) {
        duals[k] = (duals[k] ?? 0) + (this.#cost[row] ?? 0) * (this.#inverse[row * this.#size + k] ?? 0);
      }
    }
    return duals;
  }
}
