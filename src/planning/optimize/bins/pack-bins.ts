/** Packs by prices that are given: several passes with other settings, the cheapest kept. */
import type { Bin, BinProblem, BinSolution, OptimizerOptions } from '../problem/bin-problem.js';
import { BinList } from './bin-list.js';
import { difficulties } from './difficulty.js';
import { learn } from './learn.js';
import type { MachinePrices } from '../prices/machine-prices.js';
import { packRest, worthLeft } from './pass.js';
import { itemsLeft, repackTail } from './repack-tail.js';
import { markHopeless } from './rescue.js';
import { retypeBins } from './retype.js';
import { passSettings, type PassSettings } from './settings.js';
import { flag, real, whole } from '../problem/typed-read.js';
import { Workspace } from './workspace.js';

/** Price by bound from which more passes are not worth their time. */
const CLOSE_ENOUGH = 1.003;
/** Price by bound from which a price is poor, and how much more work it is worth to better it. */
const POOR = 1.12;
const PATIENCE = 6;
/** Passes after which more of them find nothing. */
const MOST_PASSES = 15;
/** Bins below which there is no tail to speak of. */
const FEW_BINS = 5;

/** Bins for all items that machines can be bought for; the same input gives the same bins. */
export function packBins(problem: BinProblem, prices: MachinePrices, options: OptimizerOptions): BinSolution {
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
    bins.push({ machine: whole(list.machine, bin), zone: whole(list.zone, bin), classes, items });
  }
  return {
    bins,
    left,
    price: list.totalPrice(),
    lowerBound: prices.lowerBound,
    work: { pivots: prices.pivots, fills, looks },
  };
}
