/** Packings that could become the plan, with their claims and prices, and which of two is better. */
import { PRICE_ERROR } from '../../domain/values/price.js';
import { finishClaims, type FinishedClaim } from './finish-claims.js';
import { preferUsualTenancy } from './usual-tenancy.js';
import { hasAnyPlace } from '../pack/alternatives.js';
import { leavesLess, leftOut } from '../pack/pack.js';
import type { Packing } from '../rules/packing.js';

/** A packing with its claims ready to be launched. */
export interface Candidate {
  readonly packing: Packing;
  readonly finished: readonly FinishedClaim[];
  /** USD/h of its claims. */
  readonly hourly: number;
  readonly lowerBound: number;
}

export function finish(packing: Packing, lowerBound: number): Candidate {
  preferUsualTenancy(packing);
  const finished = finishClaims(packing);
  const hourly = finished.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  return { packing, finished, hourly, lowerBound: Math.max(packing.problem.lowerBound, lowerBound) };
}

/** Price by bound from which looking for something better is not worth its time. */
const CLOSE_ENOUGH = 1.003;

/** Whether nothing is left out that has a place at all, and nothing can be saved that matters. */
export function isBest({ packing, hourly, lowerBound }: Candidate): boolean {
  const left = leftOut(packing);
  if (left.some((pods) => hasAnyPlace(packing.problem, pods))) return false;
  // The bound is a price for those that are left out as well: beside them only what costs nothing is sure to be best.
  return left.length === 0 ? hourly <= CLOSE_ENOUGH * lowerBound : hourly <= PRICE_ERROR;
}

/** Fewer pods left out, those of high priority first; else cheaper. */
export function isBetter(planned: Candidate, than: Candidate): boolean {
  if (leavesLess(planned.packing, than.packing)) return true;
  if (leavesLess(than.packing, planned.packing)) return false;
  return planned.hourly < than.hourly - PRICE_ERROR;
}
