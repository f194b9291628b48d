/**
 * The revised simplex method, with a dense inverse, for covering programs whose columns are offers: an offer gives
 * each of its resources (an axis) wholly to one of the rows that its place lets it serve, the one that values it most.
 * So the program has a column per offer and way to share it out, and only those that enter are ever made.
 */
import { real, whole } from '../problem/typed-read.js';

export interface CoverProgram {
  readonly rows: number;
  /** Row → amount to cover, above 0. */
  readonly demand: Float64Array;
  readonly axes: number;
  readonly offers: number;
  /** offers × axes. */
  readonly capacity: Float64Array;
  /** Offer → price, above 0 and finite. */
  readonly price: Float64Array;
  /** Offer → place: offers of one place serve the same rows. */
  readonly place: Int32Array;
  readonly places: number;
  /** place × axes + axis → where its rows start in `choices`; one entry more than that, for the last end. */
  readonly firstChoice: Int32Array;
  readonly choices: Int32Array;
}

export interface CoverPrices {
  /** Row → price per unit, none negative; no offer is worth more by them than its price. */
  readonly duals: Float64Array;
  /** Demand at these prices: no cover costs less. */
  readonly bound: number;
  /** Offer → how many the best cover found buys, in fractions. */
  readonly bought: Float64Array;
  readonly pivots: number;
}

/** Cover and bound are taken as equal when this close. */
const GAP = 2e-4;
const LEAST_STEP = 1e-9;
/** A dual this far below 0 (per share of a price) means that giving some surplus away is worth while. */
const SURPLUS = -1e-7;

/** Everything the method writes, kept from call to call: it grows, and is never given back. */
class Tableau {
  rows = 0;
  /** rows × rows: the inverse of the basis, row-major. */
  inverse = new Float64Array(0);
  amount = new Float64Array(0);
  cost = new Float64Array(0);
  /** Row of the basis → its offer, or -1 for a surplus. */
  basis = new Int32Array(0);
  duals = new Float64Array(0);
  bestDuals = new Float64Array(0);
  direction = new Float64Array(0);
  /** Columns of the pivot row that are not 0, and their values. */
  nonzero = new Int32Array(0);
  pivotValues = new Float64Array(0);
  /** places × axes: the largest dual among the rows that may be served there, and the row. */
  top = new Float64Array(0);
  topRow = new Int32Array(0);
  bestBound = 0;
  entering = -1;
  surplus = -1;
  ratio = 0;

  reset(rows: number, cells: number): void {
    this.rows = rows;
    if (this.amount.length < rows) this.#grow(Math.ceil(rows * 1.5));
    if (this.top.length < cells) {
      this.top = new Float64Array(cells * 2);
      this.topRow = new Int32Array(cells * 2);
    }
    this.inverse.fill(0, 0, rows * rows);
    this.bestDuals.fill(0, 0, rows);
    this.bestBound = 0;
  }

  #grow(rows: number): void {
    this.inverse = new Float64Array(rows * rows);
    this.amount = new Float64Array(rows);
    this.cost = new Float64Array(rows);
    this.basis = new Int32Array(rows);
    this.duals = new Float64Array(rows);
    this.bestDuals = new Float64Array(rows);
    this.direction = new Float64Array(rows);
    this.nonzero = new Int32Array(rows);
    this.pivotValues = new Float64Array(rows);
  }
}

const shared = new Tableau();

/** Solves the program until cover and bound meet, or `maxPivots` are done. Every row must be served by some offer. */
export function coverPrices(program: CoverProgram, maxPivots: number): CoverPrices {
  const tableau = shared;
  tableau.reset(program.rows, program.places * program.axes);
  start(program, tableau);
  let pivots = 0;
  for (;;) {
    rankChoices(program, tableau);
    choose(program, tableau);
    remember(program, tableau);
    if (pivots >= maxPivots || isDone(tableau) || !pivot(program, tableau)) break;
    pivots++;
  }
  const bought = new Float64Array(program.offers);
  for (let row = 0; row < program.rows; row++) {
    const offer = whole(tableau.basis, row);
    if (offer >= 0) bought[offer] = real(bought, offer) + real(tableau.amount, row);
  }
  return {
    duals: tableau.bestDuals.slice(0, program.rows),
    bound: tableau.bestBound,
    bought,
    pivots,
  };
}

/** The first basis: each row is covered by the offer that is cheapest for it alone. */
function start(program: CoverProgram, tableau: Tableau): void {
  const { rows, axes, places, firstChoice, choices } = program;
  tableau.cost.fill(Infinity, 0, rows);
  const { cheapest, offerOf } = cheapestUnits(program);
  for (let cell = 0; cell < places * axes; cell++) {
    const unit = real(cheapest, cell);
    for (let at = whole(firstChoice, cell); at < whole(firstChoice, cell + 1); at++) {
      const row = whole(choices, at);
      if (unit >= real(tableau.cost, row)) continue;
      tableau.cost[row] = unit;
      tableau.basis[row] = whole(offerOf, cell);
      tableau.direction[row] = real(program.capacity, whole(offerOf, cell) * axes + (cell % axes));
    }
  }
  for (let row = 0; row < rows; row++) {
    const capacity = real(tableau.direction, row);
    tableau.inverse[row * rows + row] = 1 / capacity;
    tableau.amount[row] = real(program.demand, row) / capacity;
    tableau.duals[row] = real(tableau.cost, row);
    tableau.cost[row] = real(program.price, whole(tableau.basis, row));
  }
}

/** places × axes: the least price per unit, and whose it is. */
function cheapestUnits({ offers, axes, places, capacity, price, place }: CoverProgram): {
  readonly cheapest: Float64Array;
  readonly offerOf: Int32Array;
} {
  const cheapest = new Float64Array(places * axes).fill(Infinity);
  const offerOf = new Int32Array(places * axes);
  for (let offer = 0; offer < offers; offer++) {
    for (let axis = 0; axis < axes; axis++) {
      const unit = real(price, offer) / real(capacity, offer * axes + axis);
      const cell = whole(place, offer) * axes + axis;
      if (!(unit < real(cheapest, cell))) continue;
      cheapest[cell] = unit;
      offerOf[cell] = offer;
    }
  }
  return { cheapest, offerOf };
}

function rankChoices({ axes, places, firstChoice, choices }: CoverProgram, tableau: Tableau): void {
  for (let cell = 0; cell < places * axes; cell++) {
    let top = 0;
    let topRow = -1;
    const end = whole(firstChoice, cell + 1);
    for (let at = whole(firstChoice, cell); at < end; at++) {
      const row = whole(choices, at);
      const dual = real(tableau.duals, row);
      if (dual <= top) continue;
      top = dual;
      topRow = row;
    }
    tableau.top[cell] = top;
    tableau.topRow[cell] = topRow;
  }
}

/** The offer that is worth most by its price, and the row with the most negative dual. */
function choose({ rows, axes, offers, capacity, price, place }: CoverProgram, tableau: Tableau): void {
  const { top, duals } = tableau;
  tableau.ratio = 0;
  tableau.entering = -1;
  for (let offer = 0; offer < offers; offer++) {
    const cell = whole(place, offer) * axes;
    let worth = 0;
    for (let axis = 0; axis < axes; axis++)
      worth += real(capacity, offer * axes + axis) * real(top, cell + axis);
    const ratio = worth / real(price, offer);
    if (ratio <= tableau.ratio) continue;
    tableau.ratio = ratio;
    tableau.entering = offer;
  }
  tableau.surplus = -1;
  let least = SURPLUS;
  for (let row = 0; row < rows; row++) {
    if (real(duals, row) >= least) continue;
    least = real(duals, row);
    tableau.surplus = row;
  }
}

/** Keeps the duals, made feasible by scaling, when they bound the cover better than all before. */
function remember({ rows, demand }: CoverProgram, tableau: Tableau): void {
  const scale = 1 / Math.max(1, tableau.ratio);
  let bound = 0;
  for (let row = 0; row < rows; row++) bound += Math.max(0, real(tableau.duals, row)) * real(demand, row);
  bound *= scale;
  if (bound <= tableau.bestBound) return;
  tableau.bestBound = bound;
  for (let row = 0; row < rows; row++) tableau.bestDuals[row] = Math.max(0, real(tableau.duals, row)) * scale;
}

function isDone({ rows, amount, cost, bestBound, surplus, ratio }: Tableau): boolean {
  if (surplus < 0 && ratio <= 1 + LEAST_STEP) return true;
  let price = 0;
  for (let row = 0; row < rows; row++) price += real(cost, row) * real(amount, row);
  return price <= bestBound * (1 + GAP);
}

/** One exchange; false when nothing can leave. */
function pivot(program: CoverProgram, tableau: Tableau): boolean {
  const isSurplus = tableau.surplus >= 0;
  const enteringCost = isSurplus ? 0 : real(program.price, tableau.entering);
  if (isSurplus) {
    tableau.direction.fill(0, 0, tableau.rows);
    addColumn(tableau, tableau.surplus, -1);
  } else aimAtOffer(program, tableau);
  const leaving = leavingRow(tableau);
  if (leaving < 0) return false;
  let reduced = enteringCost;
  for (let row = 0; row < tableau.rows; row++)
    reduced -= real(tableau.cost, row) * real(tableau.direction, row);
  eliminate(tableau, leaving, reduced);
  tableau.cost[leaving] = enteringCost;
  tableau.basis[leaving] = isSurplus ? -1 : tableau.entering;
  return true;
}

function aimAtOffer({ axes, capacity, place }: CoverProgram, tableau: Tableau): void {
  tableau.direction.fill(0, 0, tableau.rows);
  const cell = whole(place, tableau.entering) * axes;
  for (let axis = 0; axis < axes; axis++) {
    const amount = real(capacity, tableau.entering * axes + axis);
    const row = whole(tableau.topRow, cell + axis);
    if (row >= 0 && amount > 0) addColumn(tableau, row, amount);
  }
}

function addColumn({ rows, inverse, direction }: Tableau, column: number, factor: number): void {
  for (let row = 0, at = column; row < rows; row++, at += rows)
    direction[row] = real(direction, row) + real(inverse, at) * factor;
}

/** The row that runs out first; of equal ones that with the largest pivot. */
function leavingRow({ rows, amount, direction }: Tableau): number {
  let leaving = -1;
  let step = Infinity;
  for (let row = 0; row < rows; row++) {
    const pull = real(direction, row);
    if (pull <= LEAST_STEP) continue;
    const most = real(amount, row) / pull;
    if (most > step || (most === step && pull <= real(direction, leaving))) continue;
    step = most;
    leaving = row;
  }
  return leaving;
}

function eliminate(tableau: Tableau, leaving: number, reduced: number): void {
  const { rows, amount, direction } = tableau;
  const factor = 1 / real(direction, leaving);
  const count = scalePivotRow(tableau, leaving, factor, reduced);
  const step = real(amount, leaving) * factor;
  for (let row = 0; row < rows; row++) {
    const pull = real(direction, row);
    if (row === leaving || pull === 0) continue;
    subtractPivotRow(tableau, row * rows, count, pull);
    amount[row] = Math.max(0, real(amount, row) - pull * step);
  }
  amount[leaving] = step;
}

/** Scales it, moves the duals by what it holds, and notes its columns and values that are not 0: how many. */
function scalePivotRow(tableau: Tableau, leaving: number, factor: number, reduced: number): number {
  const { rows, inverse, duals, nonzero, pivotValues } = tableau;
  let count = 0;
  for (let column = 0, at = leaving * rows; column < rows; column++, at++) {
    const value = real(inverse, at) * factor;
    if (value === 0) continue;
    inverse[at] = value;
    nonzero[count] = column;
    pivotValues[count++] = value;
    duals[column] = real(duals, column) + reduced * value;
  }
  return count;
}

function subtractPivotRow(tableau: Tableau, target: number, count: number, factor: number): void {
  const { inverse, nonzero, pivotValues } = tableau;
  for (let index = 0; index < count; index++) {
    const at = target + whole(nonzero, index);
    inverse[at] = real(inverse, at) - factor * real(pivotValues, index);
  }
}
