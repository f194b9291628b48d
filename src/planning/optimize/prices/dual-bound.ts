/** What a problem costs at least by prices of resources: every item counts where it is worth least. */
import { PODS_AXIS, type BinProblem } from '../problem/bin-problem.js';
import type { GroupPrices } from './price-program.js';
import { real, whole } from '../problem/typed-read.js';

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
export function boundOf({ classes }: BinProblem, value: Float64Array): number {
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

/** Most items of a class that a machine holds when it holds nothing else. */
export function wholeItems(
  { classes, machines, resources, cap }: BinProblem,
  item: number,
  machine: number,
): number {
  const group = whole(classes.capGroup, item);
  let most = group < 0 ? Infinity : whole(cap, group);
  for (let resource = 0; resource < resources; resource++) {
    const request = real(classes.requests, item * resources + resource);
    if (request <= 0) continue;
    const room = real(machines.capacity, machine * resources + resource);
    most = Math.min(most, Math.floor(room / request + ROUNDING));
  }
  return most;
}

/** So that a division which comes out a hair below a whole number still counts as that many. */
const ROUNDING = 1e-9;

/** The prices of a problem with one class, where a machine is worth the whole items that it holds. */
export function oneClassPrices(worth: number, prices: GroupPrices, requests: Float64Array): GroupPrices {
  const perUnit = new Float64Array(prices.perUnit.length);
  const width = requests.length;
  const pods = real(requests, PODS_AXIS);
  for (let group = 0; group < prices.groups.count; group++) perUnit[group * width + PODS_AXIS] = worth / pods;
  return { ...prices, perUnit, slot: 0, slotWorth: 0 };
}
