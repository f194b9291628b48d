/** Who pays for the nodes: prices split over pods, summed by namespace, pool or label. */
import type { CostNode, CostPod } from './cost-node.js';
import { paidParts } from './split-price.js';

/** What pods are put together by. */
export type CostGrouping =
  { readonly by: 'namespace' | 'nodepool' } | { readonly by: 'label'; readonly label: string };

export interface CostRow {
  /** Namespace, pool or the label's value; '' for pods without the label and nodes without a pool. */
  readonly key: string;
  readonly pods: number;
  /** USD/h. */
  readonly hourly: number;
}

export interface CostReport {
  /** Dearest first, equal prices by key. */
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
  return { rows: [...rows].map(([key, row]) => ({ key, ...row })).sort(dearestFirst), idle, total };
}

function keyOf({ namespace, labels }: CostPod, { nodePool }: CostNode, grouping: CostGrouping): string {
  if (grouping.by === 'label') return labels.get(grouping.label) ?? '';
  return grouping.by === 'namespace' ? namespace : nodePool;
}

function dearestFirst(left: CostRow, right: CostRow): number {
  return right.hourly - left.hourly || (left.key < right.key ? -1 : 1);
}
