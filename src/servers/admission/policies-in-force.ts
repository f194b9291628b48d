/** The policies that hold now, worked out again only when a policy ConfigMap or a PolicyStatus has changed. */
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import { byPriority } from '../../planning/placement/stamp-pod.js';
import { acceptedPolicies, type AcceptedPolicies } from '../../state/policies/accepted-policies.js';
import type { Cluster } from '../../state/cluster/cluster.js';

export type PolicyStores = Pick<Cluster, 'policyConfigMaps' | 'policyStatuses' | 'isSynced'>;

interface InForce {
  readonly accepted: AcceptedPolicies;
  readonly podDefaults: readonly PodDefaults[];
}

export class PoliciesInForce {
  readonly #cluster: PolicyStores;
  #known: InForce | undefined;

  constructor(cluster: PolicyStores) {
    this.#cluster = cluster;
    const forget = (): void => {
      this.#known = undefined;
    };
    cluster.policyConfigMaps.subscribe(forget);
    cluster.policyStatuses.subscribe(forget);
  }

  /** Whether all policies of the cluster have been seen. */
  get isKnown(): boolean {
    return this.#cluster.isSynced('PolicyConfigMap', 'PolicyStatus');
  }

  get accepted(): AcceptedPolicies {
    return this.#current().accepted;
  }

  /** In the order in which they are applied. */
  get podDefaults(): readonly PodDefaults[] {
    return this.#current().podDefaults;
  }

  #current(): InForce {
    if (this.#known !== undefined) return this.#known;
    const { policyConfigMaps, policyStatuses } = this.#cluster;
    const accepted = acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
    this.#known = { accepted, podDefaults: [...accepted.podDefaults].sort(byPriority) };
    return this.#known;
  }
}
