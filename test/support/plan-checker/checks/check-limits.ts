/** Whether pools stay within their limits even when every claim turns into its largest listed type. */
import { NODEPOOL } from '../../../../src/domain/values/labels.js';
import { formatAmount } from '../../../../src/domain/values/resources.js';
import type { PoolOffer } from '../../../../src/planning/snapshot/cluster-input.js';
import type { FinalState } from '../final-state.js';
import type { Landing } from '../landing.js';
import type { Findings } from '../violation.js';

/** The limit that counts nodes. */
const NODES = 'nodes';

export function checkLimits(state: FinalState, findings: Findings): void {
  for (const offer of state.input.pools) {
    const { name, limits } = offer.pool;
    if (!state.plan.claims.some(({ nodePool }) => nodePool === name)) continue;
    for (const [resource, limit] of limits) {
      const most = mostUsed(state, offer, resource);
      if (most > limit)
        findings.add(
          'limits',
          name,
          `${resource} may reach ${formatAmount(resource, most)} of ${formatAmount(resource, limit)}`,
        );
    }
  }
}

/** Capacity of the pool's nodes, of what is in flight, and of the plan's claims at their largest. */
export function mostUsed(state: FinalState, { pool, inFlight }: PoolOffer, resource: string): number {
  const nodes = state.input.nodes
    .filter(({ labels }) => labels.get(NODEPOOL) === pool.name)
    .map(({ capacity }) => (resource === NODES ? 1 : (capacity.get(resource) ?? 0)));
  const claims = state.targets
    .filter(({ claim }) => claim?.nodePool === pool.name)
    .map(({ landings }) => Math.max(0, ...landings.map((landing) => capacityOf(landing, resource))));
  return [inFlight?.get(resource) ?? 0, ...nodes, ...claims].reduce((total, amount) => total + amount, 0);
}

/** What launching the landing counts against a limit of the pool. */
export function capacityOf({ launch }: Landing, resource: string): number {
  return resource === NODES ? 1 : (launch?.type.capacity.get(resource) ?? 0);
}
