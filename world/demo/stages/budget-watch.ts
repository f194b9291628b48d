/** Watches that no pool loses more nodes at a time than its budgets allow; a reading of its own, from the objects alone. */
import {
  allowedDisruptions,
  type BudgetReason,
  type DisruptionBudget,
} from '../../../src/domain/policies/budget.js';
import { isTrue } from '../../../src/domain/values/condition.js';
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import { acceptedPolicies } from '../../../src/state/policies/accepted-policies.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';

export class BudgetWatch {
  readonly #cluster: Cluster;
  readonly #reason: BudgetReason;
  readonly #offenders = new Set<string>();

  constructor(cluster: Cluster, reason: BudgetReason) {
    this.#cluster = cluster;
    this.#reason = reason;
  }

  /** How many nodes of the pool may be on their way out at this moment (milliseconds since 1970). */
  allowed(pool: string, now: number): number {
    return this.#allowed(this.#budgets().get(pool), pool, now);
  }

  look(now: number): void {
    const budgets = this.#budgets();
    for (const pool of new Set([...this.#cluster.nodeClaims.values()].map(({ spec }) => spec.nodePool))) {
      const leaving = this.#claimsOf(pool).filter(({ status }) => status.disruption?.reason === this.#reason);
      if (leaving.length > this.#allowed(budgets.get(pool), pool, now)) this.#offenders.add(pool);
    }
  }

  offenders(): readonly string[] {
    return [...this.#offenders].sort();
  }

  /** By pool; of those that are accepted. */
  #budgets(): ReadonlyMap<string, readonly DisruptionBudget[]> {
    const { policyConfigMaps, policyStatuses } = this.#cluster;
    const { pools } = acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
    return new Map(pools.map(({ nodePool }) => [nodePool.name, nodePool.disruption.budgets]));
  }

  #allowed(budgets: readonly DisruptionBudget[] | undefined, pool: string, now: number): number {
    if (budgets === undefined) return 0;
    const total = this.#claimsOf(pool).filter(({ status }) =>
      isTrue(status.conditions, 'Initialized'),
    ).length;
    return allowedDisruptions(budgets, { reason: this.#reason, now, total, used: 0 });
  }

  /** Without those that budgets do not count any more. */
  #claimsOf(pool: string): readonly NodeClaim[] {
    return [...this.#cluster.nodeClaims.values()]
      .filter(({ spec }) => spec.nodePool === pool)
      .filter(({ status }) => !isTrue(status.conditions, 'InstanceTerminating'));
  }
}
