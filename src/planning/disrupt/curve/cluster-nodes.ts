/** The cluster that a move curve starts from, as typed arrays, and what a point of the curve says. */
import type { Bin, BinProblem, OptimizerOptions } from '../../optimize/problem/bin-problem.js';
import type { FillOrder } from './refill.js';

/** Nodes that are there, and the items on them. */
export interface ClusterNodes {
  readonly count: number;
  /** nodes × R: room for items, that of those on it included; DaemonSet pods and other fixtures are taken off. */
  readonly room: Float64Array;
  /** Node → USD/h that go when it does. */
  readonly price: Float64Array;
  readonly zone: Int32Array;
  /** Node → its signature: which requirement sets it admits (a row of the problem's `admits`). */
  readonly signature: Int32Array;
  /** Node → 1 where it must stay, whatever is on it. */
  readonly stays: Uint8Array;
  /** Node → 1 where no item may be added. */
  readonly closed: Uint8Array;
  /** Node → its first item; one entry more than nodes, for the last end. */
  readonly firstItem: Int32Array;
  /** Item → its class. */
  readonly itemClass: Int32Array;
  /** Item → what moving it weighs: 1 for an ordinary pod, 0 for none, Infinity where it must stay. */
  readonly movingCost: Float64Array;
}

export interface MoveCurveInput {
  /** Bin types that may be bought, classes, caps and quotas over the whole cluster; `classes.items` is not looked at. */
  readonly problem: BinProblem;
  readonly nodes: ClusterNodes;
  /** Points of the curve, at least 2; the first is the cluster as it is, the last may move everything. */
  readonly points: number;
}

export interface MoveCurveOptions {
  /** Begins a count of nodes that go together: asked about one after the other, whether it may go with those before. */
  readonly beginCount?: (() => (node: number) => boolean) | undefined;
  /** Effort for the new nodes of each point. */
  readonly optimizer: OptimizerOptions;
  /** Orders in which kept nodes are filled, each tried where nodes are bought; the cheapest is taken. */
  readonly fillOrders: readonly FillOrder[];
}

/** One way to run the same items, and what it takes to get there. */
export interface CurvePoint {
  /** Moving cost that was allowed. */
  readonly budget: number;
  /** Moving cost of the items that move: at most the budget. */
  readonly movingCost: number;
  /** Pods that move. */
  readonly moves: number;
  readonly nodesKept: number;
  /** Ascending. */
  readonly nodesDeleted: readonly number[];
  /** New nodes. */
  readonly bins: readonly Bin[];
  /** USD/h of kept nodes and new nodes. */
  readonly hourly: number;
  /** Item → the node that holds it; or -1 - b where it is in bin b. */
  readonly place: Int32Array;
}
