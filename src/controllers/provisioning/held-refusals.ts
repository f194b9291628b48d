/** Refusals are held back while policies are not ready yet: what is refused now may have a pool in a moment. */
import { policyStatusName } from '../../domain/policy.js';
import type { Clock } from '../../ports/clock.js';
import { acceptedPolicies } from '../../state/accepted-policies.js';
import type { Cluster } from '../../state/cluster.js';
import type { PolicyVerdict } from '../../state/policy-verdict.js';
import { isAwaitingResolution } from '../policies/index.js';

/** Refusals are published at the latest so long after policies were first seen not ready. */
const MOST_HELD_MILLIS = 60_000;
/** Pods and the first NodePools are often applied together, and a ConfigMap's policies are read later than a pod. */
const NO_POOLS_HELD_MILLIS = 5000;
/** While refusals are held, the pods are planned again after so long. */
export const HELD_AGAIN_MILLIS = 2000;

/** Policies named in a message. */
const FEW = 3;

export class HeldRefusals {
  readonly #options: { readonly cluster: Cluster; readonly clock: Clock };
  /** Monotonic; undefined while policies are ready. */
  #unreadySince: number | undefined;
  /** Monotonic; undefined while there is a NodePool. */
  #poollessSince: number | undefined;

  constructor(options: { readonly cluster: Cluster; readonly clock: Clock }) {
    this.#options = options;
  }

  /**
   * What to do with refusals of a plan that was made of the policies as they are now: `hold` them, or publish them,
   * with what was not ready for too long (`unready`, '' when nothing is).
   */
  turn(): { readonly hold: boolean; readonly unready: string } {
    const { cluster, clock } = this.#options;
    const unready = unreadyPolicies(cluster);
    if (unready.length === 0) {
      this.#unreadySince = undefined;
      return { hold: this.#awaitsPools(), unready: '' };
    }
    const now = clock.monotonic();
    this.#unreadySince ??= now;
    const more = unready.length > FEW ? ` and ${String(unready.length - FEW)} more` : '';
    return {
      hold: now - this.#unreadySince < MOST_HELD_MILLIS,
      unready: `policies are not ready yet: ${unready.slice(0, FEW).join(', ')}${more}`,
    };
  }

  /** Whether there is no NodePool, and has been none for a few seconds only. */
  #awaitsPools(): boolean {
    const { cluster, clock } = this.#options;
    const { verdicts } = acceptedPolicies(cluster.policyConfigMaps.values(), cluster.policyStatuses.values());
    const now = clock.monotonic();
    this.#poollessSince = verdicts.some(({ kind }) => kind === 'NodePool')
      ? undefined
      : (this.#poollessSince ?? now);
    return this.#poollessSince !== undefined && now - this.#poollessSince < NO_POOLS_HELD_MILLIS;
  }
}

/** Policies that decide about launches and of which it is not written down yet what holds, each as a phrase. */
function unreadyPolicies({ policyConfigMaps, policyStatuses }: Cluster): readonly string[] {
  const { pools, verdicts } = acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
  const classes = new Set(pools.map(({ nodePool }) => nodePool.template.nodeClassRef.name));
  return verdicts.flatMap((verdict) => {
    const { kind, policy, gone, deletion } = verdict;
    if (kind === 'PodDefaults' || gone || deletion !== undefined) return [];
    const status = policyStatuses.get(policyStatusName(kind, policy));
    if (status === undefined || isNewer(verdict, status.lastAccepted?.hash))
      return [`${kind} ${policy} is neither accepted nor refused yet`];
    return kind === 'EC2NodeClass' && classes.has(policy) && isAwaitingResolution(status.conditions)
      ? [`the subnets, security groups and images of EC2NodeClass ${policy} are not looked up yet`]
      : [];
  });
}

/** Whether the document differs from the one that is written down as accepted. */
function isNewer({ lastAccepted }: PolicyVerdict, hash: string | undefined): boolean {
  return lastAccepted !== undefined && lastAccepted.hash !== hash;
}
