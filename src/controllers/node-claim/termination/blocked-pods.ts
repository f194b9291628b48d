/** Which PodDisruptionBudgets keep pods on a node that is being drained, in words: with the owner of the pods, and what would help. */
import { listed } from '../../../domain/values/text.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { podKey } from '../../../domain/pods/pod.js';
import type { PodDisruptionBudget } from '../../../domain/pods/pod-disruption-budget.js';
import { selects } from '../../../domain/values/label-selector.js';
import type { Cluster } from '../../../state/cluster/cluster.js';

/** Pods named in one sentence. */
const NAMED_PODS = 5;

type Known = Pick<Cluster, 'podDisruptionBudgets' | 'workloadOf'>;

/** A sentence for each budget, in the order of their names; it changes only when other pods or budgets are in the way. */
export function describeBlocked(cluster: Known, pods: readonly ObservedPod[]): string {
  const groups = new Map<string, { readonly budgets: readonly PodDisruptionBudget[]; pods: ObservedPod[] }>();
  for (const pod of pods) {
    const budgets = budgetsOf(cluster, pod);
    const key = budgets.map(podKey).join(', ');
    const group = groups.get(key) ?? { budgets, pods: [] };
    groups.set(key, group);
    group.pods.push(pod);
  }
  const sorted = [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([names, group]) => sentence(cluster, names, group)).join('; ');
}

/** What the API server said of evictions that it refused for other reasons. */
export function describeRefused(messages: readonly string[]): string {
  return `the API server refuses: ${listed([...messages].sort(), NAMED_PODS)}`;
}

/** As many pods as may be named, by `namespace/name`. */
export function podNames(pods: readonly ObservedPod[]): string {
  return listed(pods.map(podKey).sort(), NAMED_PODS);
}

function budgetsOf({ podDisruptionBudgets }: Known, pod: ObservedPod): readonly PodDisruptionBudget[] {
  return [...podDisruptionBudgets.values()]
    .filter(({ namespace, selector }) => namespace === pod.namespace && selects(selector, pod.spec.labels))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function sentence(
  cluster: Known,
  names: string,
  {
    budgets,
    pods,
  }: { readonly budgets: readonly PodDisruptionBudget[]; readonly pods: readonly ObservedPod[] },
): string {
  const whom = podNames(pods);
  const [budget, other] = budgets;
  if (budget === undefined) return `PodDisruptionBudgets do not allow to evict ${whom}`;
  if (other !== undefined)
    return `several PodDisruptionBudgets (${names}) match ${whom}, which the eviction API does not support; leave one`;
  return `PodDisruptionBudget ${names} does not allow to evict ${whom}${remedy(cluster, budget, pods)}`;
}

/** Whether it can ever allow an eviction, as far as the owner of the first pod tells. */
function remedy(cluster: Known, { status }: PodDisruptionBudget, [pod]: readonly ObservedPod[]): string {
  if (status === undefined || pod?.owner === undefined) return '';
  const { owner } = pod;
  const wanted = cluster.workloadOf(pod)?.wantedPods;
  const needed = String(status.desiredHealthy);
  const whose = `${owner.kind} ${owner.name}`;
  if (wanted !== undefined && status.desiredHealthy >= wanted)
    return `: ${whose} has ${wanted === 1 ? '1 replica' : `${String(wanted)} replicas`}, and ${needed} must be healthy; run more replicas, or allow fewer healthy ones`;
  return `: ${needed} pods of ${whose} must be healthy; it waits until more of them are`;
}
