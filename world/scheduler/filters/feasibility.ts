/** Which nodes a pod may go to: kube-scheduler's filter plugins, in its order. */
import { interPodAffinity } from './affinity-filter.js';
import { dynamicResources } from './device-filter.js';
import type { Facts, NodeCheck, NodeFilter } from './node-check.js';
import {
  nodeAffinity,
  nodeName,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  taintToleration,
} from './node-filters.js';
import type { PodInfo } from './pod-info.js';
import { podTopologySpread } from './spread-filter.js';
import { nodeVolumeLimits, volumeBinding, volumeRestrictions, volumeZone } from './volume-filters.js';

const FILTERS: readonly NodeFilter[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  dynamicResources,
  podTopologySpread,
  interPodAffinity,
];

/** The first refusal of each node, or undefined. @throws EarlyRefusal when no node is worth asking about. */
export function feasibility(pod: PodInfo, facts: Facts): NodeCheck {
  const checks = FILTERS.map((filter) => filter(pod, facts));
  return (node) => {
    for (const check of checks) {
      const found = check(node);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** The checks that a node passes or fails by itself, whatever is on others: for pods that are only expected there. */
export function localFeasibility(pod: PodInfo, facts: Facts): NodeCheck {
  const checks = [nodePorts, nodeResourcesFit].map((filter) => filter(pod, facts));
  return (node) => checks.map((check) => check(node)).find((found) => found !== undefined);
}
