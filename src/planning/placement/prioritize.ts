/** How much a pod is wanted on each node: the extender's verb `prioritize`. */
import type { PlacementNode, PlacementPod, PlacementView } from './placement-view.js';

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

export interface NodeScore {
  readonly nodeName: string;
  /** An integer, 0 to 10. */
  readonly score: number;
}

/**
 * The planned node first; then fuller, cheaper, longer-lived nodes, so that others empty out by themselves; nodes that
 * are going away last. `now` in milliseconds since 1970.
 */
export function prioritize(
  view: PlacementView,
  pod: PlacementPod,
  nodeNames: readonly string[],
  now: number,
): readonly NodeScore[] {
  const planned = new Set(view.placesOf(pod).map(({ nodeName }) => nodeName));
  const nodes = nodeNames.map((name) => view.node(name));
  const highestPrice = nodes.reduce((most, node) => Math.max(most, node?.hourlyPrice ?? 0), 0);
  return nodeNames.map((nodeName, index) => {
    const node = nodes[index];
    if (planned.has(nodeName)) return { nodeName, score: MAX_SCORE };
    return { nodeName, score: node === undefined ? LEAST : scoreOf(node, highestPrice, now) };
  });
}

function scoreOf(node: PlacementNode, highestPrice: number, now: number): number {
  if (node.leaving) return 0;
  const cheapness =
    node.hourlyPrice === undefined || highestPrice === 0 ? 0 : 1 - node.hourlyPrice / highestPrice;
  const timeLeft = Math.min(1, Math.max(0, (node.endsAt - now) / LONG_MILLIS));
  return LEAST + Math.round(FULLNESS * node.fullness + PRICE * cheapness + TIME_LEFT * timeLeft);
}
