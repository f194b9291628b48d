/** Counts a NodeClaim that is disrupted, and the pods that lose their node with it, by Karpenter's labels. */
import { drainSeconds, type NodeClaim } from '../domain/nodes/node-claim.js';
import { policyStatusName } from '../domain/policies/policy.js';
import { isFinished } from '../domain/pods/pod.js';
import { methodOf } from '../planning/disrupt/methods.js';
import type { Metrics } from '../runtime/metrics/metrics.js';
import type { Cluster } from '../state/cluster/cluster.js';

/** Karpenter's values of the label `reason` where they are not Berth's reason in snake case. */
const KARPENTER_REASONS: Readonly<Record<string, string>> = {
  InstanceGone: 'garbage_collected',
  NodeGone: 'garbage_collected',
  SpotInterruption: 'spot_interrupted',
};

/** To be called once for each claim, with the reason for which it goes. */
export function countDisrupted(
  { cluster, metrics }: { readonly cluster: Cluster; readonly metrics: Metrics },
  claim: NodeClaim,
  reason: string,
): void {
  const labels = {
    reason: reasonLabel(claim, reason),
    nodepool: claim.spec.nodePool,
    capacity_type: claim.status.capacityType ?? '',
    consolidation_policy: consolidationPolicy(cluster, claim, reason),
    termination_mode: terminationMode(claim),
  };
  metrics.nodeClaimsDisrupted.inc(labels);
  const node = cluster.nodeOfClaim(claim.name);
  const pods = node === undefined ? [] : cluster.podsOn(node.name);
  const moved = pods.filter((pod) => !isFinished(pod) && !pod.mirror && pod.owner?.kind !== 'DaemonSet');
  metrics.podsDisrupted.inc(labels, moved.length);
}

/** By what the node's termination is bounded: nothing, a time, or at once. */
export function terminationMode(claim: NodeClaim): 'graceful' | 'eventual' | 'forceful' {
  const seconds = drainSeconds(claim);
  if (seconds === undefined) return 'graceful';
  return seconds > 0 ? 'eventual' : 'forceful';
}

/** `WhenEmpty` → `when_empty`. */
export function snakeCase(words: string): string {
  return words.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}

function reasonLabel({ status }: NodeClaim, reason: string): string {
  const interruption = status.conditions.find(
    (each) => each.type === 'Interrupted' && each.status === 'True',
  );
  const word = reason === 'Interrupted' ? (interruption?.reason ?? reason) : reason;
  return KARPENTER_REASONS[word] ?? snakeCase(word);
}

function consolidationPolicy(cluster: Cluster, { spec }: NodeClaim, reason: string): string {
  if (methodOf(reason)?.consolidationType === undefined) return '';
  const value = cluster.policyStatuses.get(policyStatusName('NodePool', spec.nodePool))?.lastAccepted?.value;
  return value?.kind === 'NodePool' ? snakeCase(value.nodePool.disruption.consolidationPolicy) : '';
}
