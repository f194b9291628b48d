/** The optimizer: prices from a linear program, then bins filled one at a time by them. */
import type { BinProblem, BinSolution, OptimizerOptions } from './bin-problem.js';
import { priceMachines } from './machine-prices.js';
import { packBins } from './pack-bins.js';

/**
 * Proposes machines and what goes on each, at a price that is near the least. Items that nothing admits, or that accounts
 * and quotas keep out, end in `left`. Never throws for a well-formed problem; the same input gives the same answer.
 */
export function optimize(problem: BinProblem, options: OptimizerOptions): BinSolution {
  return packBins(problem, priceMachines(problem, options.maxPivots), options);
}
