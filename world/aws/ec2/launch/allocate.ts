/** Which candidates the instances of a fleet come from, by EC2's allocation strategies. */
import type { LaunchCandidate } from './launch-candidate.js';
import type { Refusal, Room } from './room.js';

export const ON_DEMAND_STRATEGIES = ['lowest-price', 'prioritized'] as const;
export const SPOT_STRATEGIES = [
  'lowest-price',
  'diversified',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
] as const;
export type AllocationStrategy = (typeof ON_DEMAND_STRATEGIES)[number] | (typeof SPOT_STRATEGIES)[number];

export interface FleetCandidate extends LaunchCandidate {
  /** Lower is better; those without one come last. */
  readonly priority: number | undefined;
}

export interface Allocation<T> {
  /** In the order in which they were chosen; counts are positive. */
  readonly chosen: readonly { readonly candidate: T; readonly count: number }[];
  /** Candidates that were tried and had too little. */
  readonly refused: readonly { readonly candidate: T; readonly refusal: Refusal }[];
}

export interface AllocationAsk<T> {
  readonly candidates: readonly T[];
  readonly wanted: number;
  readonly strategy: AllocationStrategy;
  readonly room: Room;
}

/**
 * Tries one candidate after the other and takes from each what is still wanted. The strategy is the order: by price, by
 * priority, or by depth, where a pool counts as deep when it has all that is wanted. AWS describes price-capacity-optimized
 * without defining it; taken here as the lowest price among the deep pools, then the deepest of the others.
 */
export function allocate<T extends FleetCandidate>(ask: AllocationAsk<T>): Allocation<T> {
  const { wanted, strategy, room } = ask;
  const order = inOrder(ask);
  const counts = new Map<T, number>();
  const refused = new Map<T, Refusal>();
  let left = wanted;
  // The second round gives what a diversified first one could not place.
  for (const round of strategy === 'diversified' ? ['shared', 'rest'] : ['rest']) {
    for (const [index, candidate] of order.entries()) {
      if (left === 0) break;
      const share = round === 'shared' ? Math.ceil(left / (order.length - index)) : left;
      const { instances, refusal } = room.left(candidate);
      const count = Math.max(Math.min(share, instances), 0);
      if (count < share) refused.set(candidate, refusal);
      if (count === 0) continue;
      room.take(candidate, count);
      counts.set(candidate, (counts.get(candidate) ?? 0) + count);
      left -= count;
    }
  }
  return {
    chosen: [...counts].map(([candidate, count]) => ({ candidate, count })),
    refused: [...refused].map(([candidate, refusal]) => ({ candidate, refusal })),
  };
}

/** Sorting is stable: equals keep the caller's order. */
function inOrder<T extends FleetCandidate>({
  candidates,
  wanted,
  strategy,
  room,
}: AllocationAsk<T>): readonly T[] {
  const depth = new Map(candidates.map((candidate) => [candidate, depthOf(candidate, wanted, room)]));
  const byDepth = (left: T, right: T) => (depth.get(right) ?? 0) - (depth.get(left) ?? 0);
  const byPrice = (left: T, right: T) => left.price - right.price;
  const byPriority = (left: T, right: T) => (left.priority ?? Infinity) - (right.priority ?? Infinity) || 0;
  switch (strategy) {
    case 'lowest-price':
    case 'diversified':
      return [...candidates].sort(byPrice);
    case 'prioritized':
      return [...candidates].sort((left, right) => byPriority(left, right) || byPrice(left, right));
    case 'capacity-optimized':
      return [...candidates].sort(byFullDepth(room));
    case 'capacity-optimized-prioritized':
      return [...candidates].sort((left, right) => byDepth(left, right) || byPriority(left, right));
    case 'price-capacity-optimized':
      return [...candidates].sort((left, right) => byDepth(left, right) || byPrice(left, right));
  }
}

/** How much of what is wanted it could give. */
function depthOf(candidate: LaunchCandidate, wanted: number, room: Room): number {
  return Math.min(Math.max(room.left(candidate).instances, 0), wanted);
}

/** The deepest first, however little is wanted. */
function byFullDepth(room: Room): (left: LaunchCandidate, right: LaunchCandidate) => number {
  return (left, right) => {
    const [leftRoom, rightRoom] = [room.left(left).instances, room.left(right).instances];
    return leftRoom === rightRoom ? 0 : rightRoom - leftRoom;
  };
}
