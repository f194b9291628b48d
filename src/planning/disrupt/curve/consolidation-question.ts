/** What is asked about a running cluster, "what could these pods cost, for how much moving?", and what is answered. */
import type { CapacityType } from '../../../domain/nodes/instance-type.js';
import { NODEPOOL, type Labels } from '../../../domain/values/labels.js';
import type { Node } from '../../../domain/nodes/node.js';
import type { Pod } from '../../../domain/pods/pod.js';
import { evictionWeight, podProtectedUntil } from '../../../domain/pods/movable-pods.js';
import type { OptimizerOptions } from '../../optimize/problem/bin-problem.js';
import type { MoveCurveOptions } from './cluster-nodes.js';
import { DEFAULT_MOVE_CURVE_OPTIONS } from './price-move-curve.js';

export interface ConsolidationOptions {
  /** Points of the curve, at least 2: budgets of moving cost, evenly spaced from none to all that may move. */
  readonly points: number;
  /** What moving a pod weighs: 1 for an ordinary one; Infinity where it must stay. */
  readonly movingCost: (pod: Pod) => number;
  /** Whether a node must be kept whatever is on it. */
  readonly stays: (node: Node) => boolean;
  /** Whether no pod may come to a node that is kept; by default only to those that are cordoned. */
  readonly takesNone?: ((node: Node) => boolean) | undefined;
  /** USD/h of a node; by default what its instance type costs where it is. */
  readonly priceOf?: ((node: Node) => number | undefined) | undefined;
  /** Begins a count of what may go together: asked about one node after the other, whether it may go with those before. */
  readonly beginCount?: (() => (node: Node) => boolean) | undefined;
  /** Called between pieces of work, which what it throws ends. */
  readonly checkpoint?: (() => void) | undefined;
  /** Effort for the new nodes of each point. */
  readonly optimizer: OptimizerOptions;
  readonly fillOrders: MoveCurveOptions['fillOrders'];
}

/** Ten points; pods weigh what their eviction does and protected ones stay, as do nodes that no pool launched. */
export const DEFAULT_CONSOLIDATION_OPTIONS: ConsolidationOptions = {
  points: 10,
  movingCost: (pod) => (podProtectedUntil(pod, 0) === undefined ? evictionWeight(pod) : Infinity),
  stays: ({ labels }) => !labels.has(NODEPOOL),
  optimizer: DEFAULT_MOVE_CURVE_OPTIONS.optimizer,
  fillOrders: DEFAULT_MOVE_CURVE_OPTIONS.fillOrders,
};

/** A new node, with what it is for. */
export interface NewNode {
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly chosenLabels: Labels;
  /** USD/h. */
  readonly hourlyPrice: number;
  /** `namespace/name` of its pods. */
  readonly pods: readonly string[];
}

/** A pod that goes from a node that is deleted to one that is kept. */
export interface PodMove {
  /** `namespace/name`. */
  readonly pod: string;
  readonly node: string;
}

/** One way to run the same pods, and what it takes to get there. Pods that are not named stay where they are. */
export interface ConsolidationPoint {
  /** Moving cost that was allowed, and that of the pods that move. */
  readonly budget: number;
  readonly movingCost: number;
  /** Pods that move, be it to kept nodes or to new nodes. */
  readonly moves: number;
  /** USD/h of kept nodes and new nodes. */
  readonly hourly: number;
  /** Names, in their order. */
  readonly nodesDeleted: readonly string[];
  readonly newNodes: readonly NewNode[];
  readonly moved: readonly PodMove[];
}

export interface ConsolidationCurve {
  readonly points: readonly ConsolidationPoint[];
  /** Whether the node of this name has pods that no point moves, such as pods with rules that the curve does not know. */
  readonly isLeftAlone: (node: string) => boolean;
}
