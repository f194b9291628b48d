/** Splits a node's price over its pods: whoever keeps others out pays for it, and what is still to be had is idle. */
import type { ResourceList } from '../../domain/resources.js';
import type { CostNode } from './cost-node.js';

export interface PriceSplit {
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
export interface PaidParts {
  readonly paid: readonly number[];
  readonly idle: number;
}

/**
 * Each pod pays its dominant share of the price. Where the shares exceed the whole, because one pod takes most of the
 * cores and another most of the memory, all are reduced in proportion, and nothing is idle. Hence shares and idle are the
 * price; a further pod never raises what another pays; a pod that asks for more never pays less.
 */
export function paidParts({ hourlyPrice, allocatable, pods }: CostNode): PaidParts {
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
