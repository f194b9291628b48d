/** Prices of groups, divided further where classes do not fit the bin types that the first prices would buy. */
import { FIRST_OTHER_AXIS, type BinProblem } from '../problem/bin-problem.js';
import { groupClasses, hasRoom, programPrice } from './price-groups.js';
import { solveGroups, type GroupPrices, type PriceMarket } from './price-program.js';
import { whole } from '../problem/typed-read.js';

export interface RefinedPrices {
  readonly prices: GroupPrices;
  /** Class → what it asks for beside cpu, memory and pods, and which of the bin types bought it does not fit. */
  readonly bucket: Int32Array;
  /** Over all programs solved. */
  readonly pivots: number;
}

/** Programs solved at most. */
const MAX_ROUNDS = 3;
/** Bin types by which classes are divided: a bit each. */
const MAX_SPLITTERS = 16;
/** Amounts of other resources by which classes are divided; all further ones count as equal. */
const MAX_OTHERS = 12;
/** What less is bought of, by price, is not worth a distinction. */
const LEAST_SHARE = 0.005;

/** `reach`: class → zones of the program, a bit each. */
export function refinedPrices(market: PriceMarket, reach: Int32Array): RefinedPrices {
  const { problem, slotGroup } = market;
  const bucket = bucketsOfOthers(problem);
  const grouping = { reach, bucket, byQuota: false, slotGroup };
  const splitters: number[] = [];
  let groups = groupClasses(problem, grouping);
  let prices = solveGroups(market, groups);
  let pivots = prices.pivots;
  for (let round = 1; round < MAX_ROUNDS; round++) {
    tellApart(problem, newSplitters(problem, prices, splitters), { reach, bucket, splitters });
    const finer = groupClasses(problem, grouping);
    if (finer.count === groups.count) break;
    groups = finer;
    prices = solveGroups(market, groups);
    pivots += prices.pivots;
  }
  return { prices, bucket, pivots };
}

/** Class → a number, above all splitters' bits, for each set of amounts of the other resources: GPUs come in wholes. */
function bucketsOfOthers({ classes, resources }: BinProblem): Int32Array {
  const bucket = new Int32Array(classes.count);
  const known = new Map<string, number>();
  for (let item = 0; item < classes.count; item++) {
    const others = classes.requests.subarray(item * resources + FIRST_OTHER_AXIS, (item + 1) * resources);
    if (others.every((amount) => amount === 0)) continue;
    const key = others.join();
    const id = known.get(key) ?? Math.min(known.size + 1, MAX_OTHERS);
    known.set(key, id);
    bucket[item] = id << MAX_SPLITTERS;
  }
  return bucket;
}

/** Bin types that the program buys for a share of all it pays, largest share first, and that are not yet splitters. */
function newSplitters(problem: BinProblem, prices: GroupPrices, splitters: readonly number[]): number[] {
  const { zones } = prices.groups;
  const paid = new Map<number, number>();
  let total = 0;
  prices.bought.forEach((count, offer) => {
    if (count <= 0) return;
    const binType = whole(prices.offerBinType, offer);
    const price = count * programPrice(problem, zones, binType * zones + whole(prices.offerZone, offer));
    paid.set(binType, (paid.get(binType) ?? 0) + price);
    total += price;
  });
  return [...paid]
    .filter(([binType, price]) => price >= LEAST_SHARE * total && !splitters.includes(binType))
    .sort(([one, a], [other, b]) => b - a || one - other)
    .map(([binType]) => binType);
}

interface Distinction {
  readonly reach: Int32Array;
  /** Written: a bit per splitter. */
  readonly bucket: Int32Array;
  /** Written. */
  readonly splitters: number[];
}

/** Sets the bits of classes that a bin type admits and has no room for. */
function tellApart(problem: BinProblem, binTypes: readonly number[], distinction: Distinction): void {
  const { reach, bucket, splitters } = distinction;
  const { admits, requirementSets, classes } = problem;
  for (const binType of binTypes.slice(0, MAX_SPLITTERS - splitters.length)) {
    const bit = 1 << splitters.length;
    const row = whole(problem.binTypes.signature, binType) * requirementSets;
    splitters.push(binType);
    for (let item = 0; item < classes.count; item++) {
      if (whole(reach, item) === 0 || admits[row + whole(classes.requirementSet, item)] !== 1) continue;
      if (hasRoom(problem, binType, item)) continue;
      bucket[item] = whole(bucket, item) | bit;
    }
  }
}
