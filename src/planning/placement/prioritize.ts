/** How much a pod is wanted on each node: the extender's verb `prioritize`. */
import type { NodeColumns, PlacementPod, PlacementView } from './placement-view.js';

/** kube-scheduler takes 0 to 10 and multiplies by ten times the extender's weight. */
export const MAX_SCORE = 10;
/** The score of an unknown node, and the least of a node that is not being removed. */
const LEAST = 1;
/** What fullness, price and time left are worth; with `LEAST` they stay below the planned node's score. */
const FULLNESS = 5;
const PRICE = 2;
const TIME_LEFT = 1;
/** Nodes that live longer than this are equal. */
const LONG_MILLIS = 30 * 24 * 60 * 60 * 1000;

/**
 * The planned node first; then fuller, cheaper, longer-lived nodes, so that others empty out by themselves; nodes that should empty
 * out after all of these, and nodes that are going away last. Of each node the distance to the least wanted ones, 0 for these:
 * kube-scheduler adds scores to its own and takes a node without one as zero (prioritizeNodes), so what all have in common changes
 * nothing.
 * @param rows of the nodes in the view's columns, in the order of the request.
 * @param now milliseconds since 1970.
 * @returns an integer, 0 to 10, for each of the rows.
 */
export function prioritize(
  view: PlacementView,
  pod: PlacementPod,
  rows: Int32Array,
  now: number,
): Uint8Array {
  const { columns } = view;
  const highestPrice = highestOf(columns.hourlyPrice, rows);
  const scores = new Uint8Array(rows.length);
  const planned = plannedRows(view, pod);
  let least = MAX_SCORE;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] ?? -1;
    const score = planned.includes(row) ? MAX_SCORE : scoreOf(columns, row, { highestPrice, now });
    scores[index] = score;
    if (score < least) least = score;
  }
  for (let index = 0; index < scores.length; index++) scores[index] = (scores[index] ?? 0) - least;
  return scores;
}

/** A node that is not known yet has no row, and no room is held on it. */
function plannedRows(view: PlacementView, pod: PlacementPod): readonly number[] {
  return view.placesOf(pod).flatMap(({ nodeName }) => {
    const row = nodeName === undefined ? -1 : view.columns.rowOf(nodeName);
    return row < 0 ? [] : [row];
  });
}

/** 0 where no price is known. */
function highestOf(prices: Float64Array, rows: Int32Array): number {
  let highest = 0;
  for (const row of rows) {
    const price = prices[row] ?? 0;
    if (price > highest) highest = price;
  }
  return highest;
}

interface Scale {
  readonly highestPrice: number;
  readonly now: number;
}

function scoreOf(columns: NodeColumns, row: number, { highestPrice, now }: Scale): number {
  if (row < 0) return LEAST;
  if (columns.leaving[row] === 1) return 0;
  if (columns.emptying[row] === 1) return LEAST;
  const price = columns.hourlyPrice[row] ?? NaN;
  const cheapness = Number.isNaN(price) || highestPrice === 0 ? 0 : 1 - price / highestPrice;
  const timeLeft = Math.min(1, Math.max(0, ((columns.endsAt[row] ?? 0) - now) / LONG_MILLIS));
  return LEAST + Math.round(FULLNESS * columns.fullnessAt(row) + PRICE * cheapness + TIME_LEFT * timeLeft);
}
