/**
 * What room is worth in each bin type and zone that can be bought, and what the problem costs at least: the dual prices of
 * a linear program over groups of classes. They guide the optimizer, and by weak duality any reader can check the bound.
 */
import { classReach, groupClasses, hasBoundQuota, takes, zonesOfProgram } from './price-groups.js';
import { undominated } from './dominance.js';
import { type GroupPrices, type PriceMarket, solveGroups } from './price-program.js';
import { refinedPrices } from './price-refinement.js';
import { boughtTable, dualsOf, potentialTable, valueTable, wholePotential } from './price-tables.js';
import { type BinDuals, type BinProblem, PODS_AXIS } from '../problem/bin-problem.js';
import { real, whole } from '../problem/typed-read.js';

export interface BinTypePrices {
  /** The prices that the bound can be checked with. */
  readonly duals: BinDuals;
  /** USD/h; valid by weak duality for the whole problem (a class counts at its cheapest allowed zone). */
  readonly lowerBound: number;
  /** zones × classes: USD/h that an item is worth in a zone; 0 where it may not go. */
  readonly value: Float64Array;
  /** bin types × Z: most that any fill could be worth by price, at most 1; 0 where not offered, not kept, or of no use. */
  readonly potential: Float64Array;
  /** bin types × Z: bins that the linear program buys (fractions); where zones cost the same, all in the first. */
  readonly bought: Float64Array;
  /** Bin types that no other of the same signature and account beats in everything, ascending. */
  readonly kept: Int32Array;
  readonly pivots: number;
}

/** The slot group gets a row when it asks for more bins than this share of the items. */
const LEAST_SLOT_SHARE = 0.02;

/**
 * Prices by column generation, at most `maxPivots` pivots a program. Classes that do not fit the bin types which the
 * first prices buy are divided into groups and priced again: what only expensive bin types take is worth more. Where quotas bind, the
 * guiding prices (value, potential, bought) come from a program that deals classes to zones; the bound never does. In a
 * problem of one class a bin is worth the whole items that it holds, and the price is on the pods axis alone.
 */
export function priceBinTypes(problem: BinProblem, maxPivots: number): BinTypePrices {
  const { market, reach } = open(problem, maxPivots);
  const only = onlyClass(problem, reach);
  return only >= 0 ? priceOneClass(market, reach, only) : priceClasses(market, reach);
}

/** The same with items divisible throughout, so that also a single class has a price for each resource. */
export function priceByResource(problem: BinProblem, maxPivots: number): BinTypePrices {
  const { market, reach } = open(problem, maxPivots);
  return priceClasses(market, reach);
}

function open(
  problem: BinProblem,
  maxPivots: number,
): { readonly market: PriceMarket; readonly reach: Int32Array } {
  const { resources, zones, binTypes, accounts } = problem;
  const kept = undominated(binTypes, { resources, zones, limits: accounts.width });
  const reach = classReach(problem, kept);
  return { market: { problem, kept, ...slotOf(problem, reach), maxPivots }, reach };
}

function priceClasses(market: PriceMarket, reach: Int32Array): BinTypePrices {
  const { problem, kept, slotGroup } = market;
  const programReach = reachOfProgram(problem, reach);
  const { prices, bucket, pivots } = refinedPrices(market, programReach);
  const isDealt = hasBoundQuota(problem);
  const grouping = { reach: programReach, bucket, byQuota: true, slotGroup };
  const guiding = isDealt ? solveGroups(market, groupClasses(problem, grouping)) : prices;
  return {
    duals: dualsOf(problem, reach, prices, slotGroup),
    lowerBound: boundOf(problem, itemValue(problem, prices, slotGroup)),
    value: valueTable(problem, reach, guiding, slotGroup),
    potential: potentialTable(problem, kept, guiding),
    bought: boughtTable(problem, guiding),
    kept,
    pivots: isDealt ? pivots + guiding.pivots : pivots,
  };
}

/** Bins are worth the whole items that they hold, so the bound is the least price of an item times their number. */
function priceOneClass(market: PriceMarket, reach: Int32Array, item: number): BinTypePrices {
  const { problem, kept } = market;
  const { classes, binTypes, resources, zones } = problem;
  const grouping = { reach: reachOfProgram(problem, reach), bucket: reach, byQuota: false, slotGroup: -1 };
  const fractional = solveGroups({ ...market, slotGroup: -1 }, groupClasses(problem, grouping));
  let worth = Infinity;
  for (const binType of kept) {
    if (!takes(problem, binType, item)) continue;
    for (let zone = 0; zone < zones; zone++) {
      if ((whole(reach, item) & (1 << zone)) === 0) continue;
      const price = real(binTypes.price, binType * zones + zone);
      worth = Math.min(worth, price / wholeItems(problem, item, binType));
    }
  }
  const requests = classes.requests.subarray(item * resources, (item + 1) * resources);
  const prices = oneClassPrices(worth, fractional, requests);
  return {
    duals: dualsOf(problem, reach, prices, -1),
    lowerBound: worth * whole(classes.items, item),
    value: valueTable(problem, reach, prices, -1),
    potential: wholePotential(problem, kept, item, worth),
    bought: boughtTable(problem, prices),
    kept,
    pivots: prices.pivots,
  };
}

/** The class, when all items that may go anywhere are of one, and are pods; otherwise -1. */
function onlyClass({ classes, resources }: BinProblem, reach: Int32Array): number {
  const first = reach.findIndex((mask) => mask !== 0);
  if (first < 0 || reach.findLastIndex((mask) => mask !== 0) !== first) return -1;
  return real(classes.requests, first * resources + PODS_AXIS) > 0 ? first : -1;
}

/** Zones of the program instead of the problem's. */
function reachOfProgram(problem: BinProblem, reach: Int32Array): Int32Array {
  return zonesOfProgram(problem) === 1 ? reach.map((mask) => (mask === 0 ? 0 : 1)) : reach;
}

/** The cap group that asks for most bins, when those are many; and its items. */
function slotOf(
  { classes, cap }: BinProblem,
  reach: Int32Array,
): Pick<PriceMarket, 'slotGroup' | 'slotItems'> {
  const items = new Float64Array(cap.length);
  let total = 0;
  for (let item = 0; item < classes.count; item++) {
    if (whole(reach, item) === 0) continue;
    const group = whole(classes.capGroup, item);
    total += whole(classes.items, item);
    if (group >= 0) items[group] = real(items, group) + whole(classes.items, item);
  }
  let slotGroup = -1;
  let most = LEAST_SLOT_SHARE * total;
  for (let group = 0; group < cap.length; group++) {
    if (whole(cap, group) === 0) continue;
    const slots = real(items, group) / whole(cap, group);
    if (slots <= most) continue;
    most = slots;
    slotGroup = group;
  }
  return { slotGroup, slotItems: slotGroup < 0 ? 0 : real(items, slotGroup) };
}

/** What an item of a class is worth in a zone of the program, USD/h; -1 where it may not go. */
export function itemValue(problem: BinProblem, prices: GroupPrices, slotGroup: number): Float64Array {
  const { classes, resources } = problem;
  const { groups, perUnit } = prices;
  const value = new Float64Array(classes.count * groups.zones).fill(-1);
  for (let at = 0; at < value.length; at++) {
    const group = whole(groups.groupOf, at);
    if (group < 0) continue;
    const item = Math.floor(at / groups.zones);
    let worth = slotGroup >= 0 && classes.capGroup[item] === slotGroup ? prices.slot : 0;
    for (let resource = 0; resource < resources; resource++)
      worth +=
        real(classes.requests, item * resources + resource) * real(perUnit, group * resources + resource);
    value[at] = worth;
  }
  return value;
}

/** USD/h: all items, each at the zone where it is worth least. `value` is classes × zones, below 0 where none may go. */
function boundOf({ classes }: BinProblem, value: Float64Array): number {
  const zones = classes.count === 0 ? 0 : value.length / classes.count;
  let bound = 0;
  for (let item = 0; item < classes.count; item++) {
    let least = Infinity;
    for (let zone = 0; zone < zones; zone++) {
      const worth = real(value, item * zones + zone);
      if (worth >= 0 && worth < least) least = worth;
    }
    if (least < Infinity) bound += least * whole(classes.items, item);
  }
  return bound;
}

/** Most items of a class that a bin of the type holds when it holds nothing else. */
export function wholeItems(
  { classes, binTypes, resources, cap }: BinProblem,
  item: number,
  binType: number,
): number {
  const group = whole(classes.capGroup, item);
  let most = group < 0 ? Infinity : whole(cap, group);
  for (let resource = 0; resource < resources; resource++) {
    const request = real(classes.requests, item * resources + resource);
    if (request <= 0) continue;
    const room = real(binTypes.capacity, binType * resources + resource);
    most = Math.min(most, Math.floor(room / request + ROUNDING));
  }
  return most;
}

/** So that a division which comes out a hair below a whole number still counts as that many. */
const ROUNDING = 1e-9;

/** The prices of a problem with one class, where a bin is worth the whole items that it holds. */
function oneClassPrices(worth: number, prices: GroupPrices, requests: Float64Array): GroupPrices {
  const perUnit = new Float64Array(prices.perUnit.length);
  const width = requests.length;
  const pods = real(requests, PODS_AXIS);
  for (let group = 0; group < prices.groups.count; group++) perUnit[group * width + PODS_AXIS] = worth / pods;
  return { ...prices, perUnit, slot: 0, slotWorth: 0 };
}
