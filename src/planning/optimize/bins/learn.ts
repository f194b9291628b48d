/** What a pass teaches the next: classes that ended in poor bins are worth more. */
import type { BinList } from './bin-list.js';
import { real, whole } from '../problem/typed-read.js';
import type { Workspace } from './workspace.js';

/** Most that a class is worth above its price. */
const MOST_CORRECTION = 1.6;
/** Share of a class's loss, above the mean loss, that its worth rises by. */
const STEP = 0.5;

/** Corrects the worth of every class by the loss of the bins that hold it. */
export function learn(w: Workspace, bins: BinList): void {
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
