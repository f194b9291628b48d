/** What the nodes of a pool have together, and how many have drifted. */
import { NODEPOOL } from '../../domain/values/labels.js';
import { addResources, NO_RESOURCES, type ResourceList } from '../../domain/values/resources.js';
import type { Cluster } from '../cluster/cluster.js';

/** How many nodes there are, among the resources. */
const NODES = 'nodes';

/** Capacity of the pool's nodes and of its instances that are not nodes yet, and how many they are. */
export function poolResources(cluster: Cluster, pool: string): ResourceList {
  const capacities: ResourceList[] = [];
  for (const node of cluster.nodes.values())
    if (node.labels.get(NODEPOOL) === pool) capacities.push(node.capacity);
  for (const { name, spec, status } of cluster.nodeClaims.values()) {
    const isOnItsWay = spec.nodePool === pool && status.providerID !== undefined;
    if (isOnItsWay && cluster.nodeOfClaim(name) === undefined) capacities.push(status.capacity);
  }
  const total = capacities.reduce(addResources, NO_RESOURCES);
  return capacities.length === 0 ? total : new Map([...total, [NODES, capacities.length]]);
}

/** NodeClaims of the pool with the condition Drifted; whether they may be replaced is another question. */
export function driftedNodes(cluster: Cluster, pool: string): number {
  let count = 0;
  for (const { spec, status } of cluster.nodeClaims.values()) {
    const isDrifted = status.conditions.some(({ type, status: is }) => type === 'Drifted' && is === 'True');
    if (spec.nodePool === pool && isDrifted) count++;
  }
  return count;
}
