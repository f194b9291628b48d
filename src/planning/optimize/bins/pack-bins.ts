/** Packs by prices that are given: several passes with other settings, the cheapest kept. */
import { BinList } from './bin-list.js';
import { markHopeless, packRest, worthLeft } from './pass.js';
import { retypeBins } from './retype.js';
import { passSettings, type PassSettings } from './settings.js';
import { Workspace } from './workspace.js';
import type { BinTypePrices } from '../prices/bin-type-prices.js';
import type { Bin, BinProblem, BinSolution, OptimizerOptions } from '../problem/bin-problem.js';
import { flag, real, whole } from '../problem/typed-read.js';

/** Price by bound from which more passes are not worth their time. */
const CLOSE_ENOUGH = 1.003;
/** Price by bound from which a price is poor, and how much more work it is worth to better it. */
const POOR = 1.12;
const PATIENCE = 6;
/** Passes after which more of them find nothing. */
const MOST_PASSES = 15;
/** Bins below which there is no tail to speak of. */
const FEW_BINS = 5;

/** Bins for all items that some bin type holds; the same input gives the same bins. */
export function packBins(problem: BinProblem, prices: BinTypePrices, options: OptimizerOptions): BinSolution {
  const w = new Workspace(problem, prices, options.seed);
  markHopeless(w);
  const settings = passSettings(problem, prices, w.table);
  let bins = new BinList();
  let best = new BinList();
  let bestLeft = Infinity;
  let bestPrice = Infinity;
  for (let pass = 0; pass < MOST_PASSES && mayBegin(w, pass, bestPrice, options); pass++) {
    const setting = settings[pass % settings.length];
    if (setting !== undefined) runPass(w, bins, setting);
    if (pass >= settings.length) repackTails(w, bins);
    const left = itemsLeft(w);
    const price = bins.totalPrice();
    if (left < bestLeft || (left === bestLeft && price < bestPrice)) {
      bestLeft = left;
      bestPrice = price;
      [bins, best] = [best, bins];
      learn(w, best);
    } else learn(w, bins);
    if (isDone(w, bestPrice, bestLeft)) break;
  }
  return solutionOf(w, best);
}

/** Whether one more pass as long as the mean one stays within the work that may be done. */
function mayBegin(
  w: Workspace,
  pass: number,
  price: number,
  { maxFills, maxLooks }: OptimizerOptions,
): boolean {
  if (pass === 0) return true;
  const growth = (pass + 1) / pass;
  const patience = price > POOR * w.prices.lowerBound ? PATIENCE : 1;
  return w.fills * growth <= maxFills && w.looks * growth <= maxLooks * patience;
}

function isDone({ prices, problem }: Workspace, price: number, left: number): boolean {
  const isClose = left === 0 && price <= prices.lowerBound * CLOSE_ENOUGH;
  return isClose || problem.classes.count <= 1;
}

function runPass(w: Workspace, bins: BinList, settings: PassSettings): void {
  apply(w, settings);
  bins.clear();
  packRest(w, bins, Infinity);
  retypeBins(w, bins, 0);
}

/** Once every setting has had its pass, which saves more, the poor end of each pass is done again. */
function repackTails(w: Workspace, bins: BinList): void {
  if (w.tailStart < 0 || bins.count < FEW_BINS) return;
  repackTail(w, bins, w.tailStart);
  repackTail(w, bins, Math.floor((w.tailStart + bins.count) / 2));
}

function apply(w: Workspace, settings: PassSettings): void {
  const { problem, prices } = w;
  w.settings = settings;
  w.capFactor.fill(1);
  if (settings.hardWeight > 0) w.difficulty ??= difficulties(problem, prices);
  const { count } = problem.classes;
  for (let k = 0; k < count; k++) {
    const factor = worthFactor(w, settings, k);
    for (let i = k; i < w.worth.length; i += count) w.worth[i] = real(prices.value, i) * factor;
  }
  w.left.reset(w.hopeless);
  w.worthAtStart = worthLeft(w);
  w.tailStart = -1;
  for (const places of w.places) places.reset();
}

function worthFactor(w: Workspace, { zoneBoundFactor, hardWeight }: PassSettings, k: number): number {
  const zoneBound = flag(w.table.zoneBound, k) === 1 ? zoneBoundFactor : 1;
  const hard = w.difficulty === undefined ? 0 : hardWeight * real(w.difficulty, k);
  return zoneBound * (1 + hard) * real(w.correction, k);
}

function solutionOf({ problem, prices, fills, looks }: Workspace, list: BinList): BinSolution {
  const left = problem.classes.items.slice();
  const bins: Bin[] = [];
  for (let bin = 0; bin < list.count; bin++) {
    const entries: number[] = [];
    for (let entry = whole(list.start, bin); entry < whole(list.start, bin + 1); entry++) entries.push(entry);
    entries.sort((a, b) => whole(list.classes, a) - whole(list.classes, b));
    const classes = entries.map((entry) => whole(list.classes, entry));
    const items = entries.map((entry) => whole(list.items, entry));
    for (let i = 0; i < classes.length; i++) {
      const k = classes[i] ?? 0;
      left[k] = whole(left, k) - (items[i] ?? 0);
    }
    bins.push({ binType: whole(list.binType, bin), zone: whole(list.zone, bin), classes, items });
  }
  return {
    bins,
    left,
    price: list.totalPrice(),
    lowerBound: prices.lowerBound,
    work: { pivots: prices.pivots, fills, looks },
  };
}

/** Costs above the old ones at which the new bins are given up; re-typing may still bring them below. */
const GIVE_UP = 1.02;

/** Packs the bins from one on again; returns whether they became cheaper. */
function repackTail(w: Workspace, bins: BinList, from: number): boolean {
  const price = bins.totalPrice(from);
  const left = itemsLeft(w);
  w.spare.clear();
  w.spare.append(bins, from);
  putBack(w, bins, from);
  bins.truncate(from);
  w.left.list();
  for (const places of w.places) places.recall();
  const complete = packRest(w, bins, price * GIVE_UP);
  retypeBins(w, bins, from);
  if (complete && itemsLeft(w) <= left && bins.totalPrice(from) < price - 1e-9) return true;
  putBack(w, bins, from);
  bins.truncate(from);
  bins.append(w.spare, 0);
  takeAgain(w, bins, from);
  return false;
}

/** Items that no bin holds. */
function itemsLeft({ left }: Workspace): number {
  let sum = 0;
  for (let k = 0; k < left.remaining.length; k++) sum += whole(left.remaining, k);
  return sum;
}

function putBack(w: Workspace, bins: BinList, from: number): void {
  for (let bin = from; bin < bins.count; bin++) moveBin(w, bins, bin, -1);
}

function takeAgain(w: Workspace, bins: BinList, from: number): void {
  for (let bin = from; bin < bins.count; bin++) moveBin(w, bins, bin, 1);
}

function moveBin({ left }: Workspace, bins: BinList, bin: number, sign: number): void {
  const zone = whole(bins.zone, bin);
  for (let entry = whole(bins.start, bin); entry < whole(bins.start, bin + 1); entry++) {
    left.move(whole(bins.classes, entry), zone, sign * whole(bins.items, entry));
  }
  left.buy(whole(bins.binType, bin), sign);
}

/** Most that a class is worth above its price. */
const MOST_CORRECTION = 1.6;
/** Share of a class's loss, above the mean loss, that its worth rises by. */
const STEP = 0.5;

/** Corrects the worth of every class by the loss of the bins that hold it. */
function learn(w: Workspace, bins: BinList): void {
  const { correction } = w;
  const loss = new Float64Array(correction.length);
  const items = new Int32Array(correction.length);
  let value = 0;
  for (let bin = 0; bin < bins.count; bin++) {
    value += real(bins.value, bin);
    const binLoss = 1 - real(bins.value, bin) / real(bins.price, bin);
    for (let entry = whole(bins.start, bin); entry < whole(bins.start, bin + 1); entry++) {
      const k = whole(bins.classes, entry);
      loss[k] = real(loss, k) + binLoss * whole(bins.items, entry);
      items[k] = whole(items, k) + whole(bins.items, entry);
    }
  }
  const meanLoss = 1 - value / Math.max(1e-12, bins.totalPrice());
  for (let k = 0; k < correction.length; k++) {
    if (whole(items, k) === 0) continue;
    const step = 1 + STEP * (real(loss, k) / whole(items, k) - meanLoss);
    correction[k] = Math.min(MOST_CORRECTION, real(correction, k) * step);
  }
}

/** Potential from which a bin type counts as one that will be bought. */
const GOOD_POTENTIAL = 0.99;
/** Good bin types looked at; they are spread over all that there are. */
const MOST_PLACES = 64;

/** Class → 0 where it fills a bin of a good type alone, towards 1 the more of every such bin it would leave idle. */
function difficulties(problem: BinProblem, prices: BinTypePrices): Float64Array {
  const { classes, zones } = problem;
  const places = goodPlaces(problem, prices);
  const hard = new Float64Array(classes.count);
  for (let k = 0; k < classes.count; k++) {
    let best = 0;
    for (let i = 0; i < places.length; i++) {
      const place = whole(places, i);
      const isOpen = (whole(classes.zoneMask, k) >> (place % zones)) & 1;
      if (isOpen === 1) best = Math.max(best, efficiencyAlone(problem, prices, k, place));
    }
    hard[k] = best > 0 ? 1 - Math.min(1, best) : 0;
  }
  return hard;
}

function goodPlaces({ binTypes, zones }: BinProblem, { kept, potential }: BinTypePrices): Int32Array {
  const places: number[] = [];
  for (const binType of kept) {
    for (let place = binType * zones; place < (binType + 1) * zones; place++) {
      if (real(potential, place) > GOOD_POTENTIAL && real(binTypes.price, place) < Infinity)
        places.push(place);
    }
  }
  const step = Math.max(1, Math.ceil(places.length / MOST_PLACES));
  return Int32Array.from(places.filter((_, i) => i % step === 0));
}

/** Value by price of a bin that holds this class only, fractions of an item included. */
function efficiencyAlone(problem: BinProblem, prices: BinTypePrices, k: number, place: number): number {
  const { binTypes, classes, resources, zones, admits, requirementSets } = problem;
  const zone = place % zones;
  const binType = (place - zone) / zones;
  const row = whole(binTypes.signature, binType) * requirementSets;
  if (flag(admits, row + whole(classes.requirementSet, k)) === 0) return 0;
  let items = whole(classes.items, k) > 0 ? Infinity : 0;
  for (let r = 0; r < resources; r++) {
    const asked = real(classes.requests, k * resources + r);
    if (asked > 0) items = Math.min(items, real(binTypes.capacity, binType * resources + r) / asked);
  }
  const value = real(prices.value, zone * classes.count + k);
  return value > 0 ? (items * value) / real(binTypes.price, place) : 0;
}
