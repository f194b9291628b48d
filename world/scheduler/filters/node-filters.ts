/** What a node itself must be and have: open, named, tolerated, wanted, with free ports and room. */
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS } from '../../../src/domain/values/resources.js';
import { matchesNode } from '../../kubernetes/objects/node-selector.js';
import { tolerates } from '../../cluster/tolerations.js';
import { refusal, type NodeFilter, type Refusal } from './node-check.js';
import type { NodeInfo } from './node-info.js';
import type { HostPort, PodInfo } from './pod-info.js';

const UNSCHEDULABLE = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
/** Resources in the order in which kube-scheduler compares them; extended ones follow. */
const FIRST = [CPU, MEMORY, EPHEMERAL_STORAGE];

export const nodeUnschedulable: NodeFilter = ({ pod }) => {
  const mayAnyway = tolerates(pod.spec.tolerations, UNSCHEDULABLE);
  return (node) =>
    node.isUnschedulable && !mayAnyway
      ? refusal('NodeUnschedulable', 'node(s) were unschedulable', false)
      : undefined;
};

export const nodeName: NodeFilter = ({ pod }) => {
  const { nodeName: wanted = '' } = pod.spec;
  return (node) =>
    wanted === '' || wanted === node.name
      ? undefined
      : refusal('NodeName', "node(s) didn't match the requested node name", false);
};

export const taintToleration: NodeFilter =
  ({ pod }) =>
  (node) => {
    const taint = node.taints.find(
      (each) => each.effect !== 'PreferNoSchedule' && !tolerates(pod.spec.tolerations, each),
    );
    if (taint === undefined) return undefined;
    const { key, value = '' } = taint;
    return refusal('TaintToleration', `node(s) had untolerated taint {${key}: ${value}}`, false);
  };

export const nodeAffinity: NodeFilter =
  ({ pod }) =>
  (node) =>
    isWanted(pod.spec, node)
      ? undefined
      : refusal('NodeAffinity', "node(s) didn't match Pod's node affinity/selector", false);

/** nodeSelector and required node affinity. */
export function isWanted({ nodeSelector = {}, affinity }: PodInfo['pod']['spec'], node: NodeInfo): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(nodeSelector).every(([key, value]) => node.labels[key] === value) &&
    (terms === undefined || matchesNode(terms, node.labels, node.name))
  );
}

export const nodePorts: NodeFilter =
  ({ hostPorts }) =>
  (node) => {
    if (hostPorts.length === 0) return undefined;
    for (const pod of node.pods)
      if (pod.hostPorts.some((used) => hostPorts.some((wanted) => conflict(used, wanted))))
        return refusal('NodePorts', "node(s) didn't have free ports for the requested pod ports", true);
    return undefined;
  };

function conflict(left: HostPort, right: HostPort): boolean {
  if (left.port !== right.port || left.protocol !== right.protocol) return false;
  return left.ip === right.ip || left.ip === '0.0.0.0' || right.ip === '0.0.0.0';
}

export const nodeResourcesFit: NodeFilter = ({ requests }) => {
  const rest = [...requests.keys()].filter((name) => !FIRST.includes(name) && name !== PODS).sort();
  const names = [...FIRST, ...rest];
  return (node): Refusal | undefined => {
    const reasons: string[] = [];
    let resolvable = true;
    if (node.podCount + 1 > node.allocatable(PODS)) reasons.push('Too many pods');
    for (const name of names) {
      const wanted = requests.get(name) ?? 0;
      if (wanted === 0 || wanted <= node.allocatable(name) - node.used(name)) continue;
      reasons.push(`Insufficient ${name}`);
      resolvable &&= wanted <= node.allocatable(name);
    }
    return reasons.length === 0 ? undefined : { plugin: 'NodeResourcesFit', reasons, resolvable };
  };
};
