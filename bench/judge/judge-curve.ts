/** Whether the points of a consolidation curve are what they say, found out by the plan checker and by counting. */
import type { Pod } from '../../src/domain/pods/pod.js';
import { podKey } from '../../src/domain/pods/pod.js';
import { INSTANCE_TYPE, ZONE } from '../../src/domain/values/labels.js';
import type { ConsolidationPoint } from '../../src/planning/disrupt/curve/consolidation-question.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { formatViolations } from '../../test/support/plan-checker/violation.js';
import { checkLargePlan } from './check-large-plan.js';
import { curvePlan, newNodeName, offeredPrice } from './curve-plan.js';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
/** Of sums of rounded numbers. */
const ROUNDING = 1e-6;

/** What is wrong with the curve as an answer about the cluster, a line each; none when it holds. */
export function judgeCurve(input: ClusterInput, curve: readonly ConsolidationPoint[]): readonly string[] {
  return curve.flatMap((point, index) => {
    const isMoreExpensive = point.hourly > (curve[index - 1]?.hourly ?? Infinity) + ROUNDING;
    const complaints = [
      ...(isMoreExpensive ? ['it is more expensive than the point before it'] : []),
      ...judgeCounts(input, point),
      ...judgeRules(input, point),
    ];
    return complaints.map((complaint) => `point ${String(index)}: ${complaint}`);
  });
}

/** Where the pods of a point are in the end, by name. */
function movedTo({ moved, newNodes }: ConsolidationPoint): ReadonlyMap<string, string> {
  return new Map([
    ...moved.map(({ pod, node }) => [pod, node] as const),
    ...newNodes.flatMap(({ pods }, index) => pods.map((pod) => [pod, newNodeName(index)] as const)),
  ]);
}

/** Every pod of a deleted node moves, and no other; as many as it says, at the cost that it says, for the price that it says. */
function judgeCounts(input: ClusterInput, point: ConsolidationPoint): readonly string[] {
  const deleted = new Set(point.nodesDeleted);
  const places = movedTo(point);
  const going = input.pods.filter(({ nodeName }) => deleted.has(nodeName ?? ''));
  const cost = going.reduce((sum, pod) => sum + costOf(pod), 0);
  const listed = point.moved.length + point.newNodes.reduce((sum, { pods }) => sum + pods.length, 0);
  const hourly = pricesOfNodes(input, deleted) + pricesOfNewNodes(input, point);
  const checks: readonly (readonly [boolean, string])[] = [
    [going.every((pod) => places.has(podKey(pod))), 'a pod of a deleted node has no place'],
    [places.size === listed && listed === going.length, 'a pod has two places, or moves without need'],
    [point.moves === going.length, `${String(going.length)} pods move, it says ${String(point.moves)}`],
    [
      Math.abs(cost - point.movingCost) < ROUNDING,
      `moving costs ${String(cost)}, it says ${String(point.movingCost)}`,
    ],
    [point.movingCost <= point.budget + ROUNDING, 'moving costs more than the budget'],
    [
      Math.abs(hourly - point.hourly) < ROUNDING,
      `it costs ${String(hourly)}, it says ${String(point.hourly)}`,
    ],
    [point.moved.every(({ node }) => !deleted.has(node)), 'a pod moves to a node that is deleted'],
  ];
  return checks.flatMap(([holds, complaint]) => (holds ? [] : [complaint]));
}

/** As Karpenter weighs an eviction: 1, raised and lowered by the pod's deletion cost and priority; protected pods stay. */
function costOf({ annotations, spec }: Pod): number {
  if (annotations.has(DO_NOT_DISRUPT)) return Infinity;
  const weight = 1 + Number(annotations.get(DELETION_COST) ?? 0) / 2 ** 27 + spec.priority / 2 ** 25;
  return Math.min(10, Math.max(0, weight));
}

function pricesOfNodes(input: ClusterInput, deleted: ReadonlySet<string>): number {
  return input.nodes
    .filter(({ name }) => !deleted.has(name))
    .reduce((sum, { labels }) => {
      const type = labels.get(INSTANCE_TYPE) ?? '';
      const capacityType = labels.get('karpenter.sh/capacity-type') ?? '';
      return sum + priceOf(input, { type, zone: labels.get(ZONE) ?? '', capacityType });
    }, 0);
}

function pricesOfNewNodes(input: ClusterInput, { newNodes }: ConsolidationPoint): number {
  return newNodes.reduce(
    (sum, { instanceType: type, zone, capacityType }) => sum + priceOf(input, { type, zone, capacityType }),
    0,
  );
}

interface Bought {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
}

/** NaN where nobody offers it, so that no sum is right. */
function priceOf({ pools }: ClusterInput, bought: Bought): number {
  for (const { instanceTypes = [] } of pools) {
    const price = offeredPrice(
      instanceTypes.find(({ name }) => name === bought.type),
      bought,
    );
    if (!Number.isNaN(price)) return price;
  }
  return Number.NaN;
}

/** The rules of Kubernetes: of the cluster without the deleted nodes, whose pods wait, the point is a plan. */
function judgeRules(input: ClusterInput, point: ConsolidationPoint): readonly string[] {
  const deleted = new Set(point.nodesDeleted);
  const waiting: ClusterInput = {
    ...input,
    nodes: input.nodes.filter(({ name }) => !deleted.has(name)),
    pods: input.pods.map((pod) =>
      deleted.has(pod.nodeName ?? '') ? { ...pod, nodeName: undefined, phase: 'Pending' as const } : pod,
    ),
  };
  const errors = checkLargePlan(waiting, curvePlan(waiting, point));
  return errors.length === 0 ? [] : formatViolations(errors).split('\n');
}
