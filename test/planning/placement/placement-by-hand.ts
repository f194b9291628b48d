/** The extender's answers in the plainest way: every node is judged by itself, whether or not anything is held on it. */
import { filter, type FilterAnswer, type RefusedNodes } from '../../../src/planning/placement/filter.js';
import { pinnedNode } from '../../../src/planning/placement/pinned-node.js';
import type { PlacementPod, PlacementView } from '../../../src/planning/placement/placement-view.js';
import type { NodeScore } from './placement-arbitrary.js';

const MONTH_MILLIS = 30 * 24 * 60 * 60 * 1000;

/** As `filter` answers; pods with a plan or a node of their own are its own affair. */
export function filterByHand(
  view: PlacementView,
  pod: PlacementPod,
  nodeNames: readonly string[],
): FilterAnswer {
  if (pinnedNode(pod) !== undefined || pod.mirror || view.placesOf(pod).length > 0)
    return filter(view, pod, nodeNames);
  const verdicts = nodeNames.map((name) => ({ name, verdict: verdictOn(view, pod, name) }));
  const namesOf = (wanted: string): readonly string[] =>
    verdicts.filter(({ verdict }) => verdict === wanted).map(({ name }) => name);
  const spare = namesOf('spare').flatMap((name) => view.node(name) ?? []);
  const [chosen] = [...spare].sort(
    (left, right) => right.fullness - left.fullness || (left.name < right.name ? -1 : 1),
  );
  const others = spare.filter((node) => node !== chosen).map(({ name }) => name);
  const refused: readonly RefusedNodes[] = [
    { refusal: 'leaving', nodeNames: namesOf('leaving') },
    { refusal: 'reserved', nodeNames: [...namesOf('reserved'), ...others] },
    { refusal: 'daemonRoom', nodeNames: namesOf('daemonRoom') },
  ];
  return {
    nodeNames: [...namesOf('free'), ...(chosen === undefined ? [] : [chosen.name])],
    refused: refused.filter((one) => one.nodeNames.length > 0),
    charge: chosen === undefined ? undefined : { nodeName: chosen.name, reservation: undefined },
  };
}

/** The same answer with the refused nodes of each kind in the order of their names. */
export function inOrder({ refused, ...answer }: FilterAnswer): FilterAnswer {
  return {
    ...answer,
    refused: refused.map(({ refusal, nodeNames }) => ({ refusal, nodeNames: [...nodeNames].sort() })),
  };
}

function verdictOn(view: PlacementView, pod: PlacementPod, name: string): string {
  const node = view.node(name);
  if (node?.leaving === true) return 'leaving';
  if (node?.guarded !== true) return 'free';
  const shortage = view.shortage(pod, node);
  return shortage === 'none' ? 'spare' : shortage;
}

/** Every node with its whole score: 10 for a planned one, 0 for one that is leaving, 1 for one that should empty out, 1 to 9 for others. */
export function scoresByHand(
  view: PlacementView,
  pod: PlacementPod,
  nodeNames: readonly string[],
  now: number,
): readonly NodeScore[] {
  const planned = view.placesOf(pod).map(({ nodeName }) => nodeName);
  const highest = Math.max(0, ...nodeNames.map((name) => view.node(name)?.hourlyPrice ?? 0));
  return nodeNames.map((nodeName) => {
    const node = view.node(nodeName);
    if (node === undefined) return { nodeName, score: 1 };
    if (planned.includes(nodeName)) return { nodeName, score: 10 };
    if (node.leaving) return { nodeName, score: 0 };
    if (node.emptying) return { nodeName, score: 1 };
    const cheap = node.hourlyPrice === undefined || highest === 0 ? 0 : 1 - node.hourlyPrice / highest;
    const left = Math.min(1, Math.max(0, (node.endsAt - now) / MONTH_MILLIS));
    return { nodeName, score: 1 + Math.round(5 * node.fullness + 2 * cheap + left) };
  });
}
