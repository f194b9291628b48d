/**
 * The consolidation query: what the pods of a running cluster could cost at least, for every amount of moving, given its
 * nodes and what moving each pod weighs; by the same core as planning.
 */
import type { Bin } from '../../optimize/problem/bin-problem.js';
import { DEFAULT_PLAN_OPTIONS } from '../../plan-options.js';
import { CompileCache } from '../../engine/compile-cache.js';
import { compileProblem, type Problem } from '../../model/problem.js';
import type { ClusterInput } from '../../snapshot/cluster-input.js';
import { SnapshotView, type PodHomes } from '../../snapshot/snapshot-view.js';
import type { CurvePoint, MoveCurveOptions } from './cluster-nodes.js';
import { compileCluster, type CompiledCluster } from './compile-cluster.js';
import {
  DEFAULT_CONSOLIDATION_OPTIONS,
  type ConsolidationCurve,
  type ConsolidationOptions,
  type ConsolidationPoint,
  type NewNode,
  type PodMove,
} from './consolidation-question.js';
import { priceMoveCurve } from './price-move-curve.js';

/** Answers again and again: what it has seen of a cluster before is not compiled again. */
export class ConsolidationPlanner {
  readonly #cache: CompileCache;

  constructor(cache = new CompileCache()) {
    this.#cache = cache;
  }

  /**
   * The curve: the cluster as it is first, then ever more moving, never more expensive. Every point keeps the rules of all pods that
   * move. Pods stay within their zone where a rule counts them by zone, and altogether where they have host ports, volumes
   * or rules that look at pods of other kinds. Pending pods are not looked at. Empty where no pool can launch anything.
   */
  curve(
    input: ClusterInput,
    options: ConsolidationOptions = DEFAULT_CONSOLIDATION_OPTIONS,
  ): readonly ConsolidationPoint[] {
    const pods = input.pods.filter(({ nodeName }) => nodeName !== undefined);
    return this.curveOf(new SnapshotView({ ...input, pods }, this.#cache.snapshots).homes(), options).points;
  }

  /** The same for a cluster that is taken apart already. */
  curveOf(homes: PodHomes, options: ConsolidationOptions): ConsolidationCurve {
    const { checkpoint = () => undefined, points, optimizer, fillOrders } = options;
    checkpoint();
    const problem = compileProblem(homes.snapshot, DEFAULT_PLAN_OPTIONS, this.#cache);
    checkpoint();
    const compiled = compileCluster(problem, homes, options);
    checkpoint();
    if (compiled === undefined) return { points: [], isLeftAlone: () => true };
    const beginCount = countOf(problem, options);
    const question = { problem: compiled.problem, nodes: compiled.nodes, points };
    const curve = priceMoveCurve(question, { optimizer, fillOrders, beginCount });
    const leftAlone = nodesLeftAlone(problem, compiled);
    return {
      points: curve.map((point) => named(problem, compiled, point)),
      isLeftAlone: (node) => leftAlone.has(node),
    };
  }
}

/** Names of nodes with pods that no point moves. */
function nodesLeftAlone({ snapshot }: Problem, { nodes }: CompiledCluster): ReadonlySet<string> {
  const names = snapshot.nodes.map(({ name }) => name);
  const isFixed = (node: number): boolean =>
    nodes.movingCost.subarray(nodes.firstItem[node], nodes.firstItem[node + 1]).includes(Infinity);
  return new Set(names.filter((_, node) => isFixed(node)));
}

/** The same count by index. */
function countOf(
  { snapshot }: Problem,
  { beginCount }: ConsolidationOptions,
): MoveCurveOptions['beginCount'] {
  if (beginCount === undefined) return undefined;
  return () => {
    const mayGo = beginCount();
    return (index) => {
      const node = snapshot.nodes[index];
      return node !== undefined && mayGo(node);
    };
  };
}

function named(problem: Problem, compiled: CompiledCluster, point: CurvePoint): ConsolidationPoint {
  const { keys } = problem.snapshot.pods;
  const { nodes } = problem.snapshot;
  const contents = point.bins.map((): string[] => []);
  const moved: PodMove[] = [];
  compiled.items.forEach(({ node: home, pods }, item) => {
    const place = point.place[item] ?? home;
    if (place === home) return;
    for (const row of pods) {
      const pod = keys[row] ?? '';
      if (place < 0) contents[-1 - place]?.push(pod);
      else moved.push({ pod, node: nodes[place]?.name ?? '' });
    }
  });
  const { budget, movingCost, moves, hourly } = point;
  return {
    ...{ budget, movingCost, moves, hourly, moved },
    nodesDeleted: point.nodesDeleted.map((node) => nodes[node]?.name ?? ''),
    newNodes: point.bins.map((bin, index) => newNode(problem, compiled, bin, contents[index] ?? [])),
  };
}

function newNode(
  { launchables }: Problem,
  { table }: CompiledCluster,
  { binType, zone }: Bin,
  pods: readonly string[],
): NewNode {
  const offering = launchables.offerings[table.column[binType * table.zones + zone] ?? -1];
  const row = table.row[binType] ?? -1;
  const template = launchables.rowTemplate[row];
  // What is priced was offered, by a pool.
  if (offering === undefined || template === undefined) throw new RangeError('a node without an offering');
  return {
    nodePool: template.offer.pool.name,
    instanceType: launchables.rowType[row]?.name ?? '',
    zone: offering.zone,
    capacityType: offering.capacityType,
    chosenLabels: template.chosen,
    hourlyPrice: offering.price,
    pods,
  };
}
