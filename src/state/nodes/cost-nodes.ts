/** The cluster as cost attribution takes it: what is paid for now, and whose room it is. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import type { CostNode } from '../../domain/nodes/cost-report.js';
import type { Cluster } from '../cluster/cluster.js';
import { stateNodes, podsOn, type StateNode } from './state-node.js';

export interface CostInput {
  readonly nodes: readonly CostNode[];
  /** Nodes without a known price: Berth did not launch them. */
  readonly unpriced: number;
}

/** An instance is paid for from its launch; pods that are still to come do not pay for it yet. */
export function costNodes(cluster: Cluster): CostInput {
  const all = stateNodes(cluster);
  const nodes = all.flatMap((stateNode) => costNode(cluster, stateNode) ?? []);
  return { nodes, unpriced: all.filter(({ node, hourlyPrice }) => isUnpriced(node, hourlyPrice)).length };
}

/** undefined when its price is not known. */
export function costNode(cluster: Cluster, stateNode: StateNode): CostNode | undefined {
  const { name, nodePool, hourlyPrice, allocatable } = stateNode;
  if (hourlyPrice === undefined) return undefined;
  return { name, nodePool, hourlyPrice, allocatable, pods: podsOn(cluster, stateNode).map(costPod) };
}

function isUnpriced(node: unknown, hourlyPrice: number | undefined): boolean {
  return node !== undefined && hourlyPrice === undefined;
}

function costPod(pod: ObservedPod): CostNode['pods'][number] {
  return {
    key: podKey(pod),
    namespace: pod.namespace,
    labels: pod.spec.labels,
    requests: pod.spec.requests,
  };
}
