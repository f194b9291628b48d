/** Scores the nodes that pass the filters: the least allocated first, without PreferNoSchedule taints that the pod does not tolerate. */
import { CPU, MEMORY } from '../../src/domain/values/resources.js';
import { tolerates } from '../cluster/tolerations.js';
import type { NodeInfo } from './filters/node-info.js';
import type { PodInfo } from './filters/pod-info.js';

const MOST = 100;
const TAINT_WEIGHT = 3;

/** Node → plugins' score (NodeResourcesFit with LeastAllocated, TaintToleration). */
export function scores(pod: PodInfo, nodes: readonly NodeInfo[]): ReadonlyMap<string, number> {
  const repelling = nodes.map((node) => untolerated(pod, node));
  const most = Math.max(...repelling, 1);
  return new Map(
    nodes.map((node, index) => {
      const tolerance = (MOST * (most - (repelling[index] ?? 0))) / most;
      return [node.name, leastAllocated(pod, node) + TAINT_WEIGHT * tolerance];
    }),
  );
}

function leastAllocated({ requests }: PodInfo, node: NodeInfo): number {
  const shares = [CPU, MEMORY].map((name) => {
    const whole = node.allocatable(name);
    const taken = node.used(name) + (requests.get(name) ?? 0);
    return whole === 0 ? 0 : (MOST * Math.max(whole - taken, 0)) / whole;
  });
  return Math.floor(shares.reduce((sum, share) => sum + share, 0) / shares.length);
}

function untolerated({ pod }: PodInfo, node: NodeInfo): number {
  return node.taints.filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.spec.tolerations, taint),
  ).length;
}
