/** Everything a solve works on: one object of typed arrays, made once per problem and used by all its passes. */
import type { BinProblem } from '../problem/bin-problem.js';
import { BinList, Contents } from './bin-list.js';
import { Buyable, Retyping } from './bin-types-by-price.js';
import { Candidates, ClassTable, ZoneCandidates } from './class-table.js';
import { Leftovers } from './leftovers.js';
import type { BinTypePrices } from '../prices/bin-type-prices.js';
import { OpenBin } from './open-bin.js';
import { Places, ZoneNeed } from './places.js';
import { RankGrid } from './rank-grid.js';
import { EQUAL, type PassSettings } from './settings.js';
import { real } from '../problem/typed-read.js';

/** The classes with which a bin is closed, as places among the candidates, or -1. */
export class Closing {
  worth = 0;
  first = -1;
  second = -1;
  third = -1;
}

export class Workspace {
  readonly problem: BinProblem;
  readonly prices: BinTypePrices;
  readonly table: ClassTable;
  readonly left: Leftovers;
  readonly bin: OpenBin;
  readonly candidates: Candidates;
  readonly inZone: readonly ZoneCandidates[];
  readonly grid: RankGrid;
  readonly closing = new Closing();
  /** The best fill of the bin being chosen. */
  readonly best: Contents;
  /** Z × classes: USD/h for choosing, without what depends on the bin. */
  readonly worth: Float64Array;
  /** Cap group → factor on the worth of its classes, for this bin. */
  readonly capFactor: Float64Array;
  /** Class → how badly it fills bins on its own; found when a pass asks. */
  difficulty: Float64Array | undefined;
  /** Class → factor on its worth that earlier passes taught. */
  readonly correction: Float64Array;
  /** Class → 1 where no bin type can hold an item. */
  readonly hopeless: Uint8Array;
  /** Class → 1 where nothing could be bought for its items since packing began. */
  readonly stranded: Uint8Array;
  /** Of the bin being filled: shares of its room per unit, weight per USD/h. */
  perCpu = 0;
  perMemory = 0;
  perWorth = 0;
  settings: PassSettings = EQUAL;
  /** The sampler: where it starts next. */
  rotation: number;
  /** Bins tried, and candidates looked at. */
  fills = 0;
  looks = 0;
  /** Bin types looked at for items that no place of the ranking takes. */
  rescueLooks = 0;
  /** USD/h of the mean bin that the linear program buys. */
  readonly meanBinPrice: number;
  readonly retyping: Retyping;
  /** The bin types of `retyping` that accounts still take, as far as is known. */
  readonly buyable: Buyable;
  /** Where zones cost the same, one entry per zone; else one entry with all zones. */
  readonly places: readonly Places[];
  /** Where zones cost the same: which zone the next bin goes to. */
  readonly zoneNeed: ZoneNeed | null;
  /** USD/h of all items, and the bin with which the tail of this pass begins, or -1. */
  worthAtStart = 0;
  tailStart = -1;
  /** Bins put aside. */
  readonly spare = new BinList();

  constructor(problem: BinProblem, prices: BinTypePrices, seed: number) {
    const { count } = problem.classes;
    this.problem = problem;
    this.prices = prices;
    this.table = new ClassTable(problem);
    const most = mostValue(problem, prices);
    this.left = new Leftovers(problem, this.table, most);
    this.bin = new OpenBin(problem);
    this.candidates = new Candidates(count);
    this.inZone = Array.from({ length: problem.zones }, () => new ZoneCandidates(count));
    this.grid = new RankGrid(this.table);
    this.best = new Contents(count);
    this.worth = new Float64Array(count * problem.zones);
    this.capFactor = new Float64Array(problem.cap.length).fill(1);
    this.correction = new Float64Array(count).fill(1);
    this.hopeless = new Uint8Array(count);
    this.stranded = new Uint8Array(count);
    this.meanBinPrice = meanBinType(problem, prices);
    this.retyping = new Retyping(problem, prices);
    this.buyable = new Buyable(this.retyping.binTypes, this.retyping.leastPrice);
    const zones = Array.from({ length: problem.zones }, (_, zone) => zone);
    this.places = problem.zonesEqual
      ? zones.map((zone) => new Places(problem, prices, [zone]))
      : [new Places(problem, prices, zones)];
    this.zoneNeed = problem.zonesEqual ? new ZoneNeed(problem, most) : null;
    this.rotation = Math.imul(seed, 0x9e3779b1) >>> 8;
  }
}

/** Class → what an item is worth in the zone where it is worth most. */
function mostValue({ classes, zones }: BinProblem, { value }: BinTypePrices): Float64Array {
  const most = new Float64Array(classes.count);
  for (let i = 0; i < zones * classes.count; i++) {
    const k = i % classes.count;
    most[k] = Math.max(real(most, k), real(value, i));
  }
  return most;
}

/** USD/h, above 0. */
function meanBinType({ binTypes }: BinProblem, { bought }: BinTypePrices): number {
  let count = 0;
  let price = 0;
  for (let i = 0; i < bought.length; i++) {
    if (real(bought, i) <= 0) continue;
    count += real(bought, i);
    price += real(bought, i) * real(binTypes.price, i);
  }
  return price > 0 ? price / count : 1;
}
