/** Prices of groups, laid out as the optimizer reads them: by class, and by bin type and zone. */
import type { BinDuals, BinProblem } from '../problem/bin-problem.js';
import { takes } from './price-groups.js';
import { itemValue, wholeItems } from './bin-type-prices.js';
import { servedBy, type GroupPrices } from './price-program.js';
import { real, whole } from '../problem/typed-read.js';

/** `reach`: class → zones of the problem where it may go. */
export function dualsOf(
  problem: BinProblem,
  reach: Int32Array,
  prices: GroupPrices,
  slotGroup: number,
): BinDuals {
  const { zones, classes } = problem;
  const groupOf = new Int32Array(classes.count * zones).fill(-1);
  eachReach(problem, reach, (item, zone) => {
    groupOf[item * zones + zone] = whole(prices.groups.groupOf, programCell(prices, item, zone));
  });
  return { groupOf, perUnit: prices.perUnit, slotGroup: prices.slot > 0 ? slotGroup : -1, slot: prices.slot };
}

/** Z × classes: USD/h; 0 where an item may not go. */
export function valueTable(
  problem: BinProblem,
  reach: Int32Array,
  prices: GroupPrices,
  slotGroup: number,
): Float64Array {
  const worth = itemValue(problem, prices, slotGroup);
  const value = new Float64Array(problem.zones * problem.classes.count);
  eachReach(problem, reach, (item, zone) => {
    const at = zone * problem.classes.count + item;
    value[at] = Math.max(0, real(worth, programCell(prices, item, zone)));
  });
  return value;
}

/** Item and zone in the tables of a program that may not tell zones apart. */
function programCell({ groups }: GroupPrices, item: number, zone: number): number {
  return item * groups.zones + (groups.zones === 1 ? 0 : zone);
}

function eachReach(
  { zones, classes }: BinProblem,
  reach: Int32Array,
  visit: (item: number, zone: number) => void,
): void {
  for (let item = 0; item < classes.count; item++) {
    const mask = whole(reach, item);
    for (let zone = 0; zone < zones; zone++) if ((mask & (1 << zone)) !== 0) visit(item, zone);
  }
}

/** bin types × Z: most that any fill of a bin of a kept type could be worth, by price. */
export function potentialTable(problem: BinProblem, kept: Int32Array, prices: GroupPrices): Float64Array {
  const { binTypes, zones } = problem;
  const potential = new Float64Array(binTypes.count * zones);
  const room = new Float64Array(problem.resources + 1);
  for (const binType of kept) {
    const served = servedBy(problem, prices.groups, binType);
    for (let zone = 0; zone < zones; zone++) {
      const price = real(binTypes.price, binType * zones + zone);
      if (price === Infinity) continue;
      const worth = mostWorth(problem, prices, { binType, zone, served, room });
      potential[binType * zones + zone] = Math.min(1, worth / price);
    }
  }
  return potential;
}

interface Place {
  readonly binType: number;
  readonly zone: number;
  readonly served: readonly number[];
  /** Scratch: the best price per unit of each resource. */
  readonly room: Float64Array;
}

function mostWorth(problem: BinProblem, prices: GroupPrices, { binType, zone, served, room }: Place): number {
  const { resources, binTypes } = problem;
  const { groups, perUnit } = prices;
  const bit = groups.zones === 1 ? 1 : 1 << zone;
  let slot = 0;
  room.fill(0);
  for (const group of served) {
    if (((groups.zoneMask[group] ?? 0) & bit) === 0) continue;
    if (groups.hasSlot[group] === true) slot = prices.slotWorth;
    for (let resource = 0; resource < resources; resource++)
      room[resource] = Math.max(real(room, resource), real(perUnit, group * resources + resource));
  }
  let worth = slot;
  for (let resource = 0; resource < resources; resource++)
    worth += real(room, resource) * real(binTypes.capacity, binType * resources + resource);
  return worth;
}

/** bin types × Z: the same for a problem of one class, where only whole items count. */
export function wholePotential(
  problem: BinProblem,
  kept: Int32Array,
  item: number,
  worth: number,
): Float64Array {
  const { binTypes, zones, classes } = problem;
  const potential = new Float64Array(binTypes.count * zones);
  for (const binType of kept) {
    if (!takes(problem, binType, item)) continue;
    const most = worth * wholeItems(problem, item, binType);
    for (let zone = 0; zone < zones; zone++) {
      const price = real(binTypes.price, binType * zones + zone);
      if (price < Infinity && (whole(classes.zoneMask, item) & (1 << zone)) !== 0)
        potential[binType * zones + zone] = Math.min(1, most / price);
    }
  }
  return potential;
}

/** bin types × Z: how many the program buys; where it does not tell zones apart, in the first that offers the bin type. */
export function boughtTable({ binTypes, zones }: BinProblem, prices: GroupPrices): Float64Array {
  const bought = new Float64Array(binTypes.count * zones);
  prices.bought.forEach((count, offer) => {
    let at = whole(prices.offerBinType, offer) * zones + whole(prices.offerZone, offer);
    if (prices.groups.zones === 1) while (real(binTypes.price, at) === Infinity) at++;
    bought[at] = count;
  });
  return bought;
}
