/** Evictions, deletions and ends of instances by which Berth takes more pods than a PodDisruptionBudget lets go. */
import type { Pod, PodDisruptionBudget, Workload } from '../../../../world/cluster/objects.js';
import { selects } from '../../../../world/kubernetes/objects/label-selector.js';
import type { SimulatedWorld } from '../../simulated-world.js';
import {
  controllerOf,
  instanceIDOf,
  isFinished,
  isLeaving,
  isOfDaemonSet,
  isReady,
  type RawClaim,
} from '../record/raw.js';
import type { Bench, Judge } from './judge.js';

/** A second for each write on the way. */
const SLACK_MILLIS = 2_000;

export function pdbViolations(bench: Bench): Judge {
  const { world, history, stage } = bench;
  history.onRemoval(({ how, record, pod }) => {
    // A pod that was not Ready is none of those that the budget counts.
    if (record.isOfDaemonSet || !isReady(pod)) return;
    if (how === 'deletion' && mayDelete(bench, pod)) return;
    accuse(bench, pod, { how, isGone: true });
  });
  world.aws.onInstance(({ id, state, privateDnsName }) => {
    if (state !== 'shutting-down' || stage.taken.has(id)) return;
    for (const pod of world.api.list('pods') as readonly Pod[]) {
      if (pod.spec.nodeName !== privateDnsName || isLeaving(pod) || isOfDaemonSet(pod)) continue;
      if (isReady(pod) && !mayDelete(bench, pod))
        accuse(bench, pod, { how: 'the end of the instance', isGone: false });
    }
  });
  return {};
}

function accuse(
  { world, report }: Bench,
  pod: Pod,
  { how, isGone }: { readonly how: string; readonly isGone: boolean },
): void {
  const name = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
  for (const budget of world.api.list('poddisruptionbudgets.policy') as readonly PodDisruptionBudget[]) {
    const { metadata, spec } = budget;
    if (metadata.namespace !== pod.metadata.namespace || !selects(spec.selector, pod.metadata.labels))
      continue;
    const { healthy, desired } = health(world, budget);
    const left = isGone ? healthy : healthy - 1;
    if (left >= desired) continue;
    report({
      kind: 'pdbViolations',
      objects: [name, pod.spec.nodeName ?? ''],
      what: `${how} takes pod ${name} and leaves ${String(left)} healthy pods; PodDisruptionBudget ${metadata.name} wants ${String(desired)}`,
    });
  }
}

/**
 * Whether budgets do not bind any more: the claim's own termination grace period ends, less that of the pod; the instance is
 * taken anyhow; or the node is unhealthy, and its pods with it.
 */
function mayDelete({ world, history, stage }: Bench, pod: Pod): boolean {
  const { nodeName = '' } = pod.spec;
  const claim = history.claimOf(nodeName);
  if (
    claim === undefined ||
    stage.taken.has(instanceIDOf(claim)) ||
    claim.status?.disruption?.reason === 'Unhealthy'
  )
    return true;
  return world.clock.now() >= graceEnd(claim, pod) - SLACK_MILLIS;
}

/** When the pod is to be deleted at the latest; Infinity: never. */
function graceEnd({ metadata, spec }: RawClaim, pod: Pod): number {
  const grace = spec.terminationGracePeriod;
  if (metadata.deletionTimestamp === undefined || grace === undefined) return Infinity;
  const own = pod.spec.terminationGracePeriodSeconds ?? 30;
  return Date.parse(metadata.deletionTimestamp) + (secondsOf(grace) - own) * 1000;
}

/** `1h30m`. */
function secondsOf(duration: string): number {
  const units: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };
  const parts = [...duration.matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * (units[unit] ?? 1), 0);
}

/** The arithmetic of Kubernetes' disruption controller: shares are rounded up, finished pods do not count. */
function health(
  { api }: SimulatedWorld,
  { metadata, spec }: PodDisruptionBudget,
): { readonly healthy: number; readonly desired: number } {
  const pods = (api.list('pods') as readonly Pod[]).filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      !isFinished(pod) &&
      selects(spec.selector, pod.metadata.labels),
  );
  const healthy = pods.filter((pod) => isReady(pod) && !isLeaving(pod)).length;
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const [owner, replicas] = scaleOf(api, pod);
    wanted.set(owner, replicas);
  }
  const expected = [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
  const { minAvailable, maxUnavailable } = spec;
  const desired =
    maxUnavailable === undefined
      ? amountOf(minAvailable ?? 0, expected)
      : Math.max(0, expected - amountOf(maxUnavailable, expected));
  return { healthy, desired };
}

/** What the pod's Deployment, or whatever else owns it, wants: its uid and the number of pods. */
function scaleOf(api: SimulatedWorld['api'], pod: Pod): readonly [string, number] {
  const owner = controllerOf(pod);
  const found = (resource: string, uid: string | undefined) =>
    (api.list(resource) as readonly Workload[]).find((each) => each.metadata.uid === uid);
  const set = owner?.kind === 'ReplicaSet' ? found('replicasets.apps', owner.uid) : undefined;
  const deployment = set && found('deployments.apps', controllerOf(set)?.uid);
  const scaled = deployment ?? set;
  return scaled === undefined ? [pod.metadata.uid, 1] : [scaled.metadata.uid, scaled.spec.replicas ?? 1];
}

/** `2` or `34%`. */
function amountOf(value: number | string, expected: number): number {
  const text = String(value);
  return text.endsWith('%') ? Math.ceil((expected * Number(text.slice(0, -1))) / 100) : Number(text);
}
