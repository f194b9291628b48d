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
  /** An integer, 1 to 10: how far above the least wanted of the nodes. */
  readonly score: number;
}

/**
 * The planned node first; then fuller, cheaper, longer-lived nodes, so that others empty out by themselves; nodes that
 * are going away last. Only the nodes above the least wanted ones, with the distance to these: kube-scheduler adds scores
 * to its own and takes a node without one as zero (prioritizeNodes), so what all have in common changes nothing. `now` in
 * milliseconds since 1970.
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
  const scores = nodes.map((node, index) =>
    planned.size > 0 && planned.has(nodeNames[index]) ? MAX_SCORE : scoreOf(node, highestPrice, now),
  );
  const least = scores.reduce((lowest, score) => Math.min(lowest, score), MAX_SCORE);
  const wanted: NodeScore[] = [];
  nodeNames.forEach((nodeName, index) => {
    const score = (scores[index] ?? least) - least;
    if (score > 0) wanted.push({ nodeName, score });
  });
  return wanted;
}

function scoreOf(node: PlacementNode | undefined, highestPrice: number, now: number): number {
  if (node === undefined) return LEAST;
  if (node.leaving) return 0;
  const cheapness =
    node.hourlyPrice === undefined || highestPrice === 0 ? 0 : 1 - node.hourlyPrice / highestPrice;
  const timeLeft = Math.min(1, Math.max(0, (node.endsAt - now) / LONG_MILLIS));
  return LEAST + Math.round(FULLNESS * node.fullness + PRICE * cheapness + TIME_LEFT * timeLeft);
}
