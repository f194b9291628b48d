/** The optimizer: prices from a linear program, then bins filled one at a time by them; what shares nothing is solved apart. */
import {
  shareOfWork,
  type Bin,
  type BinProblem,
  type BinSolution,
  type OptimizerOptions,
} from './problem/bin-problem.js';
import { priceBinTypes, type BinTypePrices } from './prices/bin-type-prices.js';
import { packBins } from './bins/pack-bins.js';
import { problemParts, type ProblemPart } from './problem/problem-parts.js';
import { whole } from './problem/typed-read.js';

/**
 * Proposes bins and what goes into each, at a price that is near the least. Items that nothing admits, or that accounts
 * and quotas keep out, end in `left`. Never throws for a well-formed problem; the same input gives the same answer.
 */
export function optimize(problem: BinProblem, options: OptimizerOptions): BinSolution {
  const parts = problemParts(problem).map((part) => ({
    part,
    prices: priceBinTypes(part.problem, options.maxPivots),
  }));
  const shares = sharesOfWork(parts);
  const solved = parts.map(({ part, prices }, index) => {
    const own = shareOfWork(options, shares[index] ?? 1);
    return { part, solution: packBins(part.problem, prices, own) };
  });
  return together(problem, solved);
}

interface PricedPart {
  readonly part: ProblemPart;
  readonly prices: BinTypePrices;
}

/** Work goes where the items are and where the money is, in equal halves. */
function sharesOfWork(parts: readonly PricedPart[]): readonly number[] {
  const items = parts.map(({ part }) => part.problem.classes.items.reduce((sum, each) => sum + each, 0));
  const worth = parts.map(({ prices }) => prices.lowerBound);
  const [allItems, allWorth] = [sumOf(items), sumOf(worth)];
  return parts.map((_, index) => {
    const ofItems = (items[index] ?? 0) / allItems;
    return allWorth > 0 ? (ofItems + (worth[index] ?? 0) / allWorth) / 2 : ofItems;
  });
}

interface SolvedPart {
  readonly part: ProblemPart;
  readonly solution: BinSolution;
}

function together({ classes }: BinProblem, solved: readonly SolvedPart[]): BinSolution {
  const left = classes.items.slice();
  for (const { part, solution } of solved)
    part.classes.forEach((item, index) => (left[item] = whole(solution.left, index)));
  const sum = (amount: (solution: BinSolution) => number): number =>
    sumOf(solved.map(({ solution }) => amount(solution)));
  return {
    bins: solved.flatMap(binsOfWhole),
    left,
    price: sum(({ price }) => price),
    lowerBound: sum(({ lowerBound }) => lowerBound),
    work: {
      pivots: sum(({ work }) => work.pivots),
      fills: sum(({ work }) => work.fills),
      looks: sum(({ work }) => work.looks),
    },
  };
}

function binsOfWhole({ part: { classes, binTypes }, solution }: SolvedPart): readonly Bin[] {
  return solution.bins.map((bin): Bin => ({
    ...bin,
    binType: whole(binTypes, bin.binType),
    classes: bin.classes.map((item) => whole(classes, item)),
  }));
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
