/** What pods cost: the price of each node, split over the pods that hold its room; the rest is idle. */
import type { Labels } from '../values/labels.js';
import type { ResourceList } from '../values/resources.js';

/** A pod that holds room on a node. */
interface CostPod {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: ResourceList;
}

/** An instance that is paid for. */
export interface CostNode {
  readonly name: string;
  /** '' for a node that no pool made. */
  readonly nodePool: string;
  /** USD/h. */
  readonly hourlyPrice: number;
  /** Empty while the instance is not a node yet. */
  readonly allocatable: ResourceList;
  /** Each pod once. */
  readonly pods: readonly CostPod[];
}

/** What pods are put together by. */
export type CostGrouping =
  { readonly by: 'namespace' | 'nodepool' } | { readonly by: 'label'; readonly label: string };

interface CostRow {
  /** Namespace, pool or the label's value; '' for pods without the label and nodes without a pool. */
  readonly key: string;
  readonly pods: number;
  /** USD/h. */
  readonly hourly: number;
}

export interface CostReport {
  /** Most expensive first, equal prices by key. */
  readonly rows: readonly CostRow[];
  /** USD/h of room that no pod takes. */
  readonly idle: number;
  /** USD/h of all nodes: the sum of rows and idle. */
  readonly total: number;
}

/** Sums over all nodes. A pod that is listed on several is counted with each. */
export function costBy(nodes: readonly CostNode[], grouping: CostGrouping): CostReport {
  const rows = new Map<string, { pods: number; hourly: number }>();
  let idle = 0;
  let total = 0;
  for (const node of nodes) {
    const parts = paidParts(node);
    idle += parts.idle;
    total += node.hourlyPrice;
    node.pods.forEach((pod, index) => {
      const key = keyOf(pod, node, grouping);
      const row = rows.get(key) ?? { pods: 0, hourly: 0 };
      row.pods++;
      row.hourly += parts.paid[index] ?? 0;
      rows.set(key, row);
    });
  }
  return { rows: [...rows].map(([key, row]) => ({ key, ...row })).sort(mostExpensiveFirst), idle, total };
}

function keyOf({ namespace, labels }: CostPod, { nodePool }: CostNode, grouping: CostGrouping): string {
  if (grouping.by === 'label') return labels.get(grouping.label) ?? '';
  return grouping.by === 'namespace' ? namespace : nodePool;
}

function mostExpensiveFirst(left: CostRow, right: CostRow): number {
  return right.hourly - left.hourly || (left.key < right.key ? -1 : 1);
}

interface PriceSplit {
  /** Pod (`namespace/name`) → USD/h. */
  readonly shares: ReadonlyMap<string, number>;
  /** USD/h that no pod accounts for. */
  readonly idle: number;
}

/**
 * The largest part of any one resource that the pod takes of the node, 0 to 1: its dominant share. Every resource counts
 * (cores, bytes, GPUs, one of the node's pod slots), since each keeps others out once it is gone.
 */
export function dominantShare(requests: ResourceList, allocatable: ResourceList): number {
  let share = 0;
  for (const [resource, amount] of requests) {
    const size = allocatable.get(resource) ?? 0;
    if (size > 0) share = Math.max(share, amount / size);
  }
  return Math.min(share, 1);
}

/** What each pod pays, in the order of the pods, and what no pod pays: USD/h. */
interface PaidParts {
  readonly paid: readonly number[];
  readonly idle: number;
}

/**
 * Each pod pays its dominant share of the price. Where the shares exceed the whole, because one pod takes most of the
 * cores and another most of the memory, all are reduced in proportion, and nothing is idle. So shares and idle are the
 * price; a further pod never raises what another pays; a pod that asks for more never pays less.
 */
function paidParts({ hourlyPrice, allocatable, pods }: CostNode): PaidParts {
  const parts = pods.map(({ requests }) => dominantShare(requests, allocatable));
  const taken = parts.reduce((sum, share) => sum + share, 0);
  const unit = hourlyPrice / Math.max(1, taken);
  return { paid: parts.map((share) => share * unit), idle: taken >= 1 ? 0 : hourlyPrice * (1 - taken) };
}

/** `paidParts` by pod. */
export function splitPrice(node: CostNode): PriceSplit {
  const { paid, idle } = paidParts(node);
  return { shares: new Map(node.pods.map(({ key }, index) => [key, paid[index] ?? 0])), idle };
}
