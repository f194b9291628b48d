/** What the nodes of a pool have together, and how many have drifted. */
import { isTrue } from '../../domain/values/condition.js';
import { NODEPOOL } from '../../domain/values/labels.js';
import { NO_RESOURCES, type ResourceList } from '../../domain/values/resources.js';
import type { Cluster } from '../cluster/cluster.js';

/** How many nodes there are, among the resources. */
const NODES = 'nodes';

/** Capacity of the pool's nodes and of its instances that are not nodes yet, and how many they are. */
export function poolResources(cluster: Cluster, pool: string): ResourceList {
  const total = new Map<string, number>();
  let count = 0;
  // Into one map: pools of thousands of nodes are summed again and again while nodes come and go.
  const add = (capacity: ResourceList): void => {
    count++;
    for (const [name, amount] of capacity) total.set(name, (total.get(name) ?? 0) + amount);
  };
  for (const node of cluster.nodes.values()) if (node.labels.get(NODEPOOL) === pool) add(node.capacity);
  for (const { name, spec, status } of cluster.nodeClaims.values()) {
    const isOnItsWay = spec.nodePool === pool && status.providerID !== undefined;
    if (isOnItsWay && cluster.nodeOfClaim(name) === undefined) add(status.capacity);
  }
  return count === 0 ? NO_RESOURCES : total.set(NODES, count);
}

/** NodeClaims of the pool with the condition Drifted; whether they may be replaced is another question. */
export function driftedNodes(cluster: Cluster, pool: string): number {
  let count = 0;
  for (const { spec, status } of cluster.nodeClaims.values()) {
    if (spec.nodePool === pool && isTrue(status.conditions, 'Drifted')) count++;
  }
  return count;
}
