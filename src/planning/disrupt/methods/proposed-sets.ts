/** Which nodes might go together: what the curve of price against moving says of the whole cluster, within budgets. */
import { evictionWeight } from '../../../domain/pods/movable-pods.js';
import type { Node } from '../../../domain/nodes/node.js';
import { PRICE_ERROR } from '../../../domain/values/price.js';
import { DEFAULT_CONSOLIDATION_OPTIONS, type ConsolidationPoint } from '../curve/consolidation-question.js';
import type { Candidate } from '../sets/candidates.js';
import type { ProposedSet } from '../sets/consolidation.js';
import type { Draft } from '../draft.js';
import type { Method } from '../method.js';
import { horizonOf, movingCostOf } from '../sets/settle.js';
import { workOf } from '../sets/simulator.js';

/** Points of the curve that are asked for, the cluster as it is among them. */
export const POINTS = 3;

/** Nodes that rules let go, and how much is asked about them. */
interface Eligible {
  /** Of the curve. */
  readonly points: number;
  /** Budgets apart. */
  readonly eligible: readonly Candidate[];
  /** Those of them that budgets let go together. */
  readonly admitted: readonly Candidate[];
}

/** Share of a pass's work up to which all admitted nodes are planned without even where that is hardly ever worth it. */
const SMALL_SHARE = 1 / 4;

/**
 * The sets of the curve's points, the best first, and all that are admitted together last: with what the curve leaves alone,
 * such as nodes whose pods have rules that it does not know. Where it leaves none alone, its last point was all of them, and the
 * plan is saved unless it takes little work.
 */
export function proposedSets(
  draft: Draft,
  method: Method,
  { eligible, admitted, points }: Eligible,
): readonly ProposedSet[] {
  const named = new Map(eligible.map((candidate) => [candidate.name, candidate]));
  const prices = new Map(draft.input.nodes.map(({ name, hourlyPrice }) => [name, hourlyPrice]));
  const { points: curve, isLeftAlone } = draft.memory.curve.curveOf(draft.view.homes(), {
    ...DEFAULT_CONSOLIDATION_OPTIONS,
    points,
    // Budgets let nodes go round by round: what goes in this one is to stay where it comes to.
    fillOrders: ['LeastGainFirst', 'RoomiestFirst', 'RoomiestLast'],
    movingCost: (pod) => evictionWeight(pod) * (named.get(pod.nodeName ?? '')?.life ?? 1),
    stays: ({ name }) => !named.has(name),
    takesNone: ({ name }) => draft.unsteady.has(name),
    priceOf: ({ name }) => prices.get(name) ?? 0,
    checkpoint: draft.checkpoint,
    beginCount: () => {
      draft.checkpoint();
      return admitted.length < eligible.length ? counting(draft, method, named) : () => true;
    },
  });
  const sets = curve.flatMap((_, index) => setOf(draft, curve, index, named));
  const moves = sets.at(-1)?.moves ?? new Map<string, string>();
  sets.sort((left, right) => right.worth - left.worth);
  const isKnown = !admitted.some(({ name }) => isLeftAlone(name));
  if (isKnown && !draft.simulator.isSmall(workOfSet(draft, admitted), SMALL_SHARE)) return sets;
  return [...sets, { nodes: admitted, moves, worth: Infinity }];
}

/** Units of work of a plan without these nodes. */
function workOfSet({ input: { cluster } }: Draft, nodes: readonly Candidate[]): number {
  const pods = nodes.reduce((sum, candidate) => sum + candidate.pods.length, 0);
  return workOf(cluster.nodes.length + cluster.pods.length, pods);
}

/** A point as a set; none of one that is no better than the one before it. */
function setOf(
  { options, input, candidates }: Draft,
  curve: readonly ConsolidationPoint[],
  index: number,
  named: ReadonlyMap<string, Candidate>,
): readonly ProposedSet[] {
  const [start, before, point] = [curve[0], curve[index - 1], curve[index]];
  if (start === undefined || before === undefined || point === undefined) return [];
  if (point.hourly >= before.hourly - PRICE_ERROR) return [];
  const nodes = point.nodesDeleted.flatMap((name) => named.get(name) ?? []);
  const bought = point.newNodes.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  const cost = movingCostOf(nodes, [], { options, candidates }) + bought * options.bootHours;
  return [
    {
      nodes,
      moves: new Map(point.moved.map(({ pod, node }) => [pod, node])),
      worth: (start.hourly - point.hourly) * horizonOf(nodes, { options, now: input.now, candidates }) - cost,
    },
  ];
}

/** Whether one node after the other may go with those before it, by budgets of nodes and of pods. */
function counting(
  draft: Draft,
  method: Method,
  named: ReadonlyMap<string, Candidate>,
): (node: Node) => boolean {
  const nodes = draft.nodes.fork();
  const evictions = draft.evictions.fork();
  return ({ name }) => {
    const candidate = named.get(name);
    if (candidate === undefined) return false;
    const refusal = nodes.refusal(method, candidate.node) ?? evictions.refusal(candidate.pods);
    if (refusal !== undefined) return false;
    nodes.take(candidate.node);
    evictions.take(candidate.pods);
    return true;
  };
}
