/** Refusals are held back while policies are on their way: what is refused now may have a pool in a moment. */
import { listed } from '../../domain/values/text.js';
import { describeNodeClass } from '../../domain/policies/node-class.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { policyStatusName } from '../../domain/policies/policy.js';
import type { Clock } from '../../ports/clock.js';
import { acceptedPolicies, type AcceptedPolicies } from '../../state/policies/accepted-policies.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { PolicyVerdict } from '../../state/policies/policy-verdict.js';
import { isAwaitingResolution } from '../policies/policy-conditions.js';

/** Refusals are published at the latest so long after they were first held. */
const MOST_HELD_MILLIS = 60_000;
/**
 * Pods and policies are often applied together (`kubectl apply -f folder/`), each policy ConfigMap is read by itself, and a
 * pod is seen before them. After the last change of one, and for new pods of a cluster without a NodePool, so long.
 */
const SETTLE_MILLIS = 5000;
/** While refusals are held, the pods are planned again after so long. */
export const HELD_AGAIN_MILLIS = 2000;

/** Policies named in a message. */
const FEW = 3;

export class HeldRefusals {
  readonly #options: { readonly cluster: Cluster; readonly clock: Clock };
  /** Monotonic; undefined while nothing is on its way. */
  #heldSince: number | undefined;
  /** When the last policy ConfigMap changed. Monotonic. */
  #changedAt = -Infinity;

  constructor(options: { readonly cluster: Cluster; readonly clock: Clock }) {
    this.#options = options;
  }

  /** A policy ConfigMap has changed; others may follow. */
  policiesChanged(): void {
    this.#changedAt = this.#options.clock.monotonic();
  }

  /**
   * What to do with refusals of these pods, by a plan that was made of the policies as they are now: `hold` them, or publish
   * them, with what was not ready for too long (`unready`, '' when nothing is).
   */
  turn(pods: readonly ObservedPod[]): { readonly hold: boolean; readonly unready: string } {
    const { cluster, clock } = this.#options;
    const policies = acceptedPolicies(cluster.policyConfigMaps.values(), cluster.policyStatuses.values());
    const unready = unreadyPolicies(cluster, policies);
    const now = clock.monotonic();
    const isUnsettled =
      unready.length > 0 || now - this.#changedAt < SETTLE_MILLIS || this.#awaitsPools(policies, pods);
    this.#heldSince = isUnsettled ? (this.#heldSince ?? now) : undefined;
    return {
      hold: this.#heldSince !== undefined && now - this.#heldSince < MOST_HELD_MILLIS,
      unready: unready.length === 0 ? '' : `policies are not ready yet: ${listed(unready, FEW)}`,
    };
  }

  /** Whether there is no NodePool, and one of the pods is new: the first NodePool may follow it. */
  #awaitsPools({ verdicts }: AcceptedPolicies, pods: readonly ObservedPod[]): boolean {
    if (verdicts.some(({ kind }) => kind === 'NodePool')) return false;
    const now = this.#options.clock.now();
    return pods.some(({ createdAt }) => now - createdAt < SETTLE_MILLIS);
  }
}

/** Policies that decide about launches and of which it is not written down yet what holds, each as a phrase. */
function unreadyPolicies(
  { policyStatuses }: Cluster,
  { pools, verdicts }: AcceptedPolicies,
): readonly string[] {
  const classes = new Set(pools.map(({ nodePool }) => describeNodeClass(nodePool.template.nodeClassRef)));
  return verdicts.flatMap((verdict) => {
    const { kind, policy, gone, deletion } = verdict;
    if (kind === 'PodDefaults' || gone || deletion !== undefined) return [];
    const status = policyStatuses.get(policyStatusName(kind, policy));
    if (status === undefined || isNewer(verdict, status.lastAccepted?.hash))
      return [`${kind} ${policy} is not validated yet`];
    const own = describeNodeClass({ kind, name: policy });
    return classes.has(own) && isAwaitingResolution(status.conditions)
      ? [`the cloud provider has not resolved ${own} yet`]
      : [];
  });
}

/** Whether the document differs from the one that is written down as accepted. */
function isNewer({ lastAccepted }: PolicyVerdict, hash: string | undefined): boolean {
  return lastAccepted !== undefined && lastAccepted.hash !== hash;
}
