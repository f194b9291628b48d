/** Which pools the instances of one launch come from, as EC2's instant fleets choose. */
import { isInOrderOfPrice } from '../../../src/domain/nodes/launch-order.js';
import type { LaunchOverride, LaunchRequest } from '../../../src/domain/nodes/node-claim.js';
import type { LaunchFailure } from '../../../src/ports/cloud.js';
import type { CapacityPool } from '../../../world/aws/model/capacity-stock.js';

export interface Market {
  /** Instances left in the pool. */
  free(pool: CapacityPool): number;
  /** USD/h; undefined when the type is not sold there. */
  price(pool: CapacityPool): number | undefined;
}

export interface Allocation {
  /** One override per instance. */
  readonly chosen: readonly LaunchOverride[];
  readonly failures: readonly LaunchFailure[];
}

interface Candidate {
  readonly override: LaunchOverride;
  readonly pool: CapacityPool;
  readonly price: number;
  readonly free: number;
}

/**
 * On-demand and reserved: lowest price first, each pool until it is empty. Spot: price-capacity-optimized, which AWS describes
 * but does not define; taken here as the lowest price among the pools deep enough for all that is still wanted, else the deepest.
 * Where the request's order is not that of its prices, what it puts first counts in place of what is cheapest.
 * Pools that were tried and had too little are listed as failures, as are types that are not sold in a zone.
 */
export function allocate(request: LaunchRequest, market: Market): Allocation {
  const { sold, unsold } = lookUp(request, market);
  const { chosen, tried } = request.capacityType === 'spot' ? spot(request, sold) : cheapest(request, sold);
  return { chosen, failures: [...unsold, ...tried.map(outOfStock)] };
}

function lookUp(
  { capacityType, overrides }: LaunchRequest,
  market: Market,
): { readonly sold: readonly Candidate[]; readonly unsold: readonly LaunchFailure[] } {
  const sold: Candidate[] = [];
  const unsold: LaunchFailure[] = [];
  for (const override of overrides) {
    const pool = { instanceType: override.instanceType, zone: override.zone, capacityType };
    const price = market.price(pool);
    if (price === undefined) unsold.push(notSold(pool));
    else sold.push({ override, pool, price, free: market.free(pool) });
  }
  // Stable: equal prices keep the caller's order.
  if (isInOrderOfPrice(overrides)) sold.sort((left, right) => left.price - right.price);
  return { sold, unsold };
}

interface Choice {
  readonly chosen: readonly LaunchOverride[];
  /** Pools that had too little. */
  readonly tried: readonly Candidate[];
}

function cheapest({ size }: LaunchRequest, sold: readonly Candidate[]): Choice {
  const chosen: LaunchOverride[] = [];
  const tried: Candidate[] = [];
  for (const candidate of sold) {
    const left = size - chosen.length;
    if (left === 0) break;
    if (candidate.free < left) tried.push(candidate);
    chosen.push(...repeat(candidate, left));
  }
  return { chosen, tried };
}

function spot({ size }: LaunchRequest, sold: readonly Candidate[]): Choice {
  const chosen: LaunchOverride[] = [];
  let open = sold.filter(({ free }) => free > 0);
  while (chosen.length < size && open.length > 0) {
    const left = size - chosen.length;
    const depth = Math.min(left, Math.max(...open.map(({ free }) => free)));
    const next = open.find(({ free }) => free >= depth);
    if (next === undefined) break;
    chosen.push(...repeat(next, left));
    open = open.filter((candidate) => candidate !== next);
  }
  // Pools are chosen by depth: one that has too little is tried only when all together have.
  return { chosen, tried: chosen.length < size ? sold : [] };
}

function repeat({ override, free }: Candidate, left: number): readonly LaunchOverride[] {
  return Array.from({ length: Math.min(left, free) }, () => override);
}

function outOfStock({ pool }: Candidate): LaunchFailure {
  const { instanceType, zone } = pool;
  return {
    ...pool,
    reach: 'offering',
    code: 'InsufficientInstanceCapacity',
    message: `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested (${zone}).`,
  };
}

function notSold(pool: CapacityPool): LaunchFailure {
  return {
    ...pool,
    reach: 'offering',
    code: 'InvalidFleetConfiguration',
    message: `Your requested instance type (${pool.instanceType}) is not supported in your requested Availability Zone (${pool.zone}).`,
  };
}
