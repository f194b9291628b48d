/** A linear program solved by Mehrotra's predictor-corrector method (S. Mehrotra, SIAM J. Optimization 2, 1992). */
import { at } from './relaxation.js';

/** min c·v, A v = b, v ≥ 0. The matrix is known by what it does. */
export interface LinearProgram {
  readonly cost: Float64Array;
  readonly right: Float64Array;
  /** A v. */
  readonly times: (values: Float64Array) => Float64Array;
  /** Aᵀ y. */
  readonly transposed: (duals: Float64Array) => Float64Array;
  /** Makes ready to solve A D Aᵀ y = r for a diagonal D, and gives what solves it. */
  readonly factor: (diagonal: Float64Array) => (right: Float64Array) => Float64Array;
}

export interface Solution {
  readonly values: Float64Array;
  /** Of the rows. */
  readonly duals: Float64Array;
}

const MOST_STEPS = 80;
const GAP = 1e-9;
/** How much of the way to the border a step goes. */
const CAUTION = 0.995;

interface Point {
  values: Float64Array;
  duals: Float64Array;
  slacks: Float64Array;
}

interface Residuals {
  readonly primal: Float64Array;
  readonly dual: Float64Array;
}

/** The best point that it comes to; how good it is, is for the caller to find out. */
export function solve(program: LinearProgram): Solution {
  const point = start(program);
  for (let step = 0; step < MOST_STEPS; step++) {
    const residuals = {
      primal: minus(program.right, program.times(point.values)),
      dual: minus(minus(program.cost, program.transposed(point.duals)), point.slacks),
    };
    if (isSolved(program, point, residuals) || !advance(program, point, residuals)) break;
  }
  return { values: point.values, duals: point.duals };
}

/** Mehrotra's start: the least-squares solutions, moved well inside. */
function start({ cost, right, times, transposed, factor }: LinearProgram): Point {
  const solveFor = factor(new Float64Array(cost.length).fill(1));
  const values = transposed(solveFor(right));
  const duals = solveFor(times(cost));
  const slacks = minus(cost, transposed(duals));
  lift(values);
  lift(slacks);
  const product = dot(values, slacks);
  const [more, costMore] = [product / (2 * sum(slacks)), product / (2 * sum(values))];
  return {
    values: values.map((value) => value + more),
    duals,
    slacks: slacks.map((value) => value + costMore),
  };
}

function lift(values: Float64Array): void {
  const least = values.reduce((low, value) => Math.min(low, value), Infinity);
  const by = Math.max(-1.5 * least, 0) + 1e-6;
  for (let index = 0; index < values.length; index++) values[index] = at(values, index) + by;
}

function isSolved({ cost, right }: LinearProgram, point: Point, { primal, dual }: Residuals): boolean {
  const [price, bound] = [dot(cost, point.values), dot(right, point.duals)];
  const gap = Math.abs(price - bound) / (1 + Math.abs(price));
  return gap < GAP && norm(primal) < GAP * (1 + norm(right)) && norm(dual) < GAP * (1 + norm(cost));
}

/** One step, predicted and then corrected; false when numbers give out. */
function advance(program: LinearProgram, point: Point, residuals: Residuals): boolean {
  const { values, slacks } = point;
  const diagonal = values.map((value, index) => value / at(slacks, index));
  const solveFor = program.factor(diagonal);
  const direction = (complement: Float64Array): Point => {
    const shifted = complement.map(
      (value, index) => value / at(slacks, index) - at(diagonal, index) * at(residuals.dual, index),
    );
    const duals = solveFor(minus(residuals.primal, program.times(shifted)));
    const turned = program.transposed(duals);
    const moved = shifted.map((value, index) => value + at(diagonal, index) * at(turned, index));
    return { values: moved, duals, slacks: minus(residuals.dual, turned) };
  };
  const guess = direction(values.map((value, index) => -value * at(slacks, index)));
  const mean = dot(values, slacks) / values.length;
  const [ahead, costAhead] = [reach(values, guess.values), reach(slacks, guess.slacks)];
  let reached = 0;
  for (let index = 0; index < values.length; index++)
    reached +=
      (at(values, index) + ahead * at(guess.values, index)) *
      (at(slacks, index) + costAhead * at(guess.slacks, index));
  const centre = (reached / values.length / mean) ** 3 * mean;
  const way = direction(
    values.map(
      (value, index) =>
        centre - value * at(slacks, index) - at(guess.values, index) * at(guess.slacks, index),
    ),
  );
  if (!way.duals.every(Number.isFinite)) return false;
  const [length, costLength] = [CAUTION * reach(values, way.values), CAUTION * reach(slacks, way.slacks)];
  point.values = values.map((value, index) => value + Math.min(1, length) * at(way.values, index));
  point.duals = point.duals.map((value, index) => value + Math.min(1, costLength) * at(way.duals, index));
  point.slacks = slacks.map((value, index) => value + Math.min(1, costLength) * at(way.slacks, index));
  return true;
}

/** How far one may go before a value becomes 0. */
function reach(values: Float64Array, way: Float64Array): number {
  let length = 1 / CAUTION;
  for (let index = 0; index < values.length; index++)
    if (at(way, index) < 0) length = Math.min(length, -at(values, index) / at(way, index));
  return length;
}

function minus(left: Float64Array, right: Float64Array): Float64Array {
  return left.map((value, index) => value - at(right, index));
}

function dot(left: Float64Array, right: Float64Array): number {
  let result = 0;
  for (let index = 0; index < left.length; index++) result += at(left, index) * at(right, index);
  return result;
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function norm(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
