/** topologySpreadConstraints with DoNotSchedule (kube-scheduler's PodTopologySpread). */
import type { SpreadConstraint } from '../../cluster/objects.js';
import { selects, type LabelSelector } from '../../kubernetes/objects/label-selector.js';
import { tolerates } from '../../cluster/tolerations.js';
import { refusal, type Facts, type NodeCheck, type NodeFilter } from './node-check.js';
import { isWanted } from './node-filters.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';

const REASON = "node(s) didn't match pod topology spread constraints";

export const podTopologySpread: NodeFilter = (pod, facts) => {
  const constraints = (pod.pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  if (constraints.length === 0) return () => undefined;
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  const checks = constraints.map((constraint) => spreadCheck(pod, { constraint, keys, facts }));
  return (node) => {
    if (keys.some((key) => node.labels[key] === undefined))
      return refusal('PodTopologySpread', `${REASON} (missing required label)`, false);
    return firstOf(checks, node);
  };
};

interface SpreadQuestion {
  readonly constraint: SpreadConstraint;
  readonly keys: readonly string[];
  readonly facts: Facts;
}

function spreadCheck(pod: PodInfo, { constraint, keys, facts }: SpreadQuestion): NodeCheck {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const selector = narrowed(constraint.labelSelector, constraint.matchLabelKeys ?? [], pod);
  const counts = new Map<string, number>();
  for (const node of facts.nodes) {
    const domain = node.labels[topologyKey];
    const counted = keys.every((key) => node.labels[key] !== undefined) && isIncluded(constraint, pod, node);
    if (domain !== undefined && counted)
      counts.set(domain, (counts.get(domain) ?? 0) + matching(node, selector, pod.namespace));
  }
  const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
  const itself = selects(selector, pod.labels) ? 1 : 0;
  return (node) => {
    const skew = (counts.get(node.labels[topologyKey] ?? '') ?? 0) + itself - least;
    return skew > maxSkew ? refusal('PodTopologySpread', REASON, true) : undefined;
  };
}

/** Whether the node's domain counts: what pods ask of nodes is honoured by default, taints are not. */
function isIncluded(constraint: SpreadConstraint, { pod }: PodInfo, node: NodeInfo): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !isWanted(pod.spec, node)) return false;
  if (nodeTaintsPolicy === 'Ignore') return true;
  return node.taints.every(
    (taint) => taint.effect === 'PreferNoSchedule' || tolerates(pod.spec.tolerations, taint),
  );
}

function matching(node: NodeInfo, selector: LabelSelector | undefined, namespace: string): number {
  let count = 0;
  for (const pod of node.pods)
    if (pod.namespace === namespace && !pod.isTerminating && selects(selector, pod.labels)) count++;
  return count;
}

/** The selector with what the pod itself has under these keys. */
function narrowed(
  selector: LabelSelector | undefined,
  keys: readonly string[],
  { labels }: PodInfo,
): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const own = keys.filter((key) => labels[key] !== undefined);
  if (own.length === 0) return selector;
  const added = own.map((key) => ({ key, operator: 'In', values: [labels[key] ?? ''] }));
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
}

function firstOf(checks: readonly NodeCheck[], node: NodeInfo): ReturnType<NodeCheck> {
  for (const check of checks) {
    const found = check(node);
    if (found !== undefined) return found;
  }
  return undefined;
}
