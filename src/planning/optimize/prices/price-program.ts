/**
 * The linear program over groups of classes: a row per group and resource that it asks for, and one for the
 * slots of the slot group; an offer (bin type and zone) gives each resource wholly to one group that may be served there.
 */
import { PODS_AXIS, type BinProblem } from '../problem/bin-problem.js';
import { hasRoom, type PriceGroups, programPrice } from './price-groups.js';
import { coverPrices, type CoverProgram } from './linear-program.js';
import { real, whole } from '../problem/typed-read.js';

/** What an item is worth, and where: the prices of a solved program, in the problem's own units. */
export interface GroupPrices {
  readonly groups: PriceGroups;
  /** groups × R: USD/h per unit. */
  readonly perUnit: Float64Array;
  /** USD/h for an item of the slot group. */
  readonly slot: number;
  /** USD/h for all items of the slot group that a bin may hold. */
  readonly slotWorth: number;
  /** Bin type and zone (of the program) of each offer, and how many are bought. */
  readonly offerBinType: Int32Array;
  readonly offerZone: Int32Array;
  readonly bought: Float64Array;
  readonly pivots: number;
}

/** What the groups are priced with. */
export interface PriceMarket {
  readonly problem: BinProblem;
  /** Bin types that may be bought. */
  readonly kept: Int32Array;
  /** The cap group with a row of its own, or -1, and how many items it has. */
  readonly slotGroup: number;
  readonly slotItems: number;
  readonly maxPivots: number;
}

/** Which groups a bin of a kind and zone serves. */
interface Places {
  /** Place → its groups. */
  readonly groups: readonly (readonly number[])[];
  /** kept × zones: the place, or -1 where nothing can be bought or served. */
  readonly of: Int32Array;
}

export function solveGroups(market: PriceMarket, groups: PriceGroups): GroupPrices {
  const rows = rowsOf(market, groups);
  const scale = scaleOf(market);
  const places = placesOf(market, groups);
  const { program, offerBinType, offerZone } = compile(market, { groups, rows, scale, places });
  const solved = coverPrices(program, market.maxPivots);
  const { problem } = market;
  const perUnit = new Float64Array(groups.count * problem.resources);
  for (let at = 0; at < perUnit.length; at++) {
    const row = whole(rows.of, at);
    if (row >= 0) perUnit[at] = real(solved.duals, row) * real(scale, at % problem.resources);
  }
  const slotWorth = rows.slot < 0 ? 0 : real(solved.duals, rows.slot);
  const { bought, pivots } = solved;
  return {
    groups,
    perUnit,
    slot: slotWorth / slotCap(market),
    slotWorth,
    offerBinType,
    offerZone,
    bought,
    pivots,
  };
}

/** Items of the slot group that a bin may hold: a unit of the slot row is that many. */
function slotCap({ problem, slotGroup }: PriceMarket): number {
  return slotGroup < 0 ? 1 : whole(problem.cap, slotGroup);
}

interface Rows {
  /** groups × R: the row, or -1 where the group asks for nothing. */
  readonly of: Int32Array;
  readonly slot: number;
  readonly count: number;
}

/** Up to so many groups each have a row for pods; more share one, as pods seldom are what runs out. */
const MAX_POD_ROWS = 12;

function rowsOf({ problem, slotGroup }: PriceMarket, groups: PriceGroups): Rows {
  const { resources } = problem;
  const isShared = groups.count > MAX_POD_ROWS;
  const of = new Int32Array(groups.count * resources).fill(-1);
  let count = isShared ? 1 : 0;
  for (let at = 0; at < of.length; at++) {
    if (isShared && at % resources === PODS_AXIS) of[at] = 0;
    else if (real(groups.demand, at) > 0) of[at] = count++;
  }
  return slotGroup < 0 ? { of, slot: -1, count } : { of, slot: count, count: count + 1 };
}

/** Resource → factor that makes room comparable: the bin types' mean becomes 1. */
function scaleOf({ problem: { binTypes, resources }, kept }: PriceMarket): Float64Array {
  const scale = new Float64Array(resources);
  for (const binType of kept) {
    for (let resource = 0; resource < resources; resource++)
      scale[resource] = real(scale, resource) + real(binTypes.capacity, binType * resources + resource);
  }
  for (let resource = 0; resource < resources; resource++) {
    const total = real(scale, resource);
    scale[resource] = total > 0 ? kept.length / total : 1;
  }
  return scale;
}

function placesOf({ problem, kept }: PriceMarket, groups: PriceGroups): Places {
  const { zones } = groups;
  const of = new Int32Array(kept.length * zones).fill(-1);
  const lists: number[][] = [];
  const known = new Map<string, number>();
  for (let index = 0; index < kept.length; index++) {
    const binType = whole(kept, index);
    const served = servedBy(problem, groups, binType);
    for (let zone = 0; zone < zones; zone++) {
      if (programPrice(problem, zones, binType * zones + zone) === Infinity) continue;
      const here = served.filter((group) => ((groups.zoneMask[group] ?? 0) & (1 << zone)) !== 0);
      if (here.length === 0) continue;
      const key = String.fromCharCode(...here);
      const place = known.get(key) ?? lists.push(here) - 1;
      known.set(key, place);
      of[index * zones + zone] = place;
    }
  }
  return { groups: lists, of };
}

/** Groups of which some item may be on the bin type, as far as room and requirements go. */
export function servedBy(problem: BinProblem, groups: PriceGroups, binType: number): number[] {
  const { binTypes, admits, requirementSets } = problem;
  const row = whole(binTypes.signature, binType) * requirementSets;
  const served: number[] = [];
  for (let group = 0; group < groups.count; group++) {
    if (admits[row + (groups.requirementSet[group] ?? 0)] !== 1) continue;
    if (hasRoomForLeast(problem, groups, binType, group) && hasRoomForOne(problem, groups, binType, group))
      served.push(group);
  }
  return served;
}

function hasRoomForLeast(
  problem: BinProblem,
  { least }: PriceGroups,
  binType: number,
  group: number,
): boolean {
  const { binTypes, resources } = problem;
  for (let resource = 0; resource < resources; resource++) {
    const room = real(binTypes.capacity, binType * resources + resource);
    if (real(least, group * resources + resource) > room) return false;
  }
  return true;
}

function hasRoomForOne(
  problem: BinProblem,
  { smallest }: PriceGroups,
  binType: number,
  group: number,
): boolean {
  for (const item of smallest[group] ?? []) if (hasRoom(problem, binType, item)) return true;
  return false;
}

interface Parts {
  readonly groups: PriceGroups;
  readonly rows: Rows;
  readonly scale: Float64Array;
  readonly places: Places;
}

interface Compiled {
  readonly program: CoverProgram;
  readonly offerBinType: Int32Array;
  readonly offerZone: Int32Array;
}

function compile(market: PriceMarket, parts: Parts): Compiled {
  const { problem, kept } = market;
  const { resources, binTypes } = problem;
  const { groups, rows, places, scale } = parts;
  const axes = resources + 1;
  const offers = places.of.reduce((sum, place) => (place < 0 ? sum : sum + 1), 0);
  const offerBinType = new Int32Array(offers);
  const offerZone = new Int32Array(offers);
  const place = new Int32Array(offers);
  const price = new Float64Array(offers);
  const capacity = new Float64Array(offers * axes);
  let offer = 0;
  for (let at = 0; at < places.of.length; at++) {
    if (whole(places.of, at) < 0) continue;
    const binType = whole(kept, Math.floor(at / groups.zones));
    offerBinType[offer] = binType;
    offerZone[offer] = at % groups.zones;
    place[offer] = whole(places.of, at);
    price[offer] = programPrice(problem, groups.zones, binType * groups.zones + (at % groups.zones));
    for (let axis = 0; axis < resources; axis++)
      capacity[offer * axes + axis] = real(binTypes.capacity, binType * resources + axis) * real(scale, axis);
    capacity[offer * axes + resources] = 1;
    offer++;
  }
  const program = {
    rows: rows.count,
    demand: demandOf(market, parts),
    axes,
    offers,
    capacity,
    price,
    place,
    places: places.groups.length,
    ...choicesOf(parts, axes),
  };
  return { program, offerBinType, offerZone };
}

function demandOf(market: PriceMarket, { groups, rows, scale }: Parts): Float64Array {
  const { problem, slotItems } = market;
  const demand = new Float64Array(rows.count);
  for (let at = 0; at < rows.of.length; at++) {
    const row = whole(rows.of, at);
    if (row < 0) continue;
    demand[row] = real(demand, row) + real(groups.demand, at) * real(scale, at % problem.resources);
  }
  if (rows.slot >= 0) demand[rows.slot] = slotItems / slotCap(market);
  return demand;
}

function choicesOf(parts: Parts, axes: number): Pick<CoverProgram, 'firstChoice' | 'choices'> {
  const first: number[] = [];
  const choices: number[] = [];
  for (const served of parts.places.groups) {
    for (let axis = 0; axis < axes; axis++) {
      first.push(choices.length);
      for (const row of rowsServed(parts, served, axis, axes - 1)) choices.push(row);
    }
  }
  first.push(choices.length);
  return { firstChoice: Int32Array.from(first), choices: Int32Array.from(choices) };
}

/** Rows that an axis of an offer may cover; the axis after the last resource is the slot's. */
function rowsServed(
  { groups, rows }: Parts,
  served: readonly number[],
  axis: number,
  resources: number,
): number[] {
  if (axis === resources) {
    const isSlot = rows.slot >= 0 && served.some((group) => groups.hasSlot[group] === true);
    return isSlot ? [rows.slot] : [];
  }
  const all = served.map((group) => whole(rows.of, group * resources + axis)).filter((row) => row >= 0);
  return all.filter((row, index) => row !== all[index - 1]);
}
