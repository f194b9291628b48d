/** In which zones the next instances of a pool may start, and which of them are preferred where the price is the same. */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { ResolvedNodeClass } from '../../../ports/cloud.js';

interface ZoneQuestion {
  readonly nodePool: string;
  readonly resolved: Pick<ResolvedNodeClass, 'zones' | 'freeAddresses'>;
  /** How many instances are wanted. */
  readonly size: number;
}

/** Zones where an instance would find an address. */
export function zonesWithRoom({
  zones,
  freeAddresses,
}: Pick<ResolvedNodeClass, 'zones' | 'freeAddresses'>): readonly string[] {
  return zones.filter((zone) => (freeAddresses?.get(zone) ?? Infinity) > 0);
}

export class ZoneBalance {
  readonly #claims: () => Iterable<NodeClaim>;
  /** Launch group → where its instances are going to be, until its claims say so. */
  readonly #underWay = new Map<
    string,
    { readonly nodePool: string; readonly zone: string; readonly size: number }
  >();

  /** `claims` are those of the cluster as it is now. */
  constructor(claims: () => Iterable<NodeClaim>) {
    this.#claims = claims;
  }

  /**
   * Zones with room for all the instances first; of these the zone with fewest nodes of the pool, then the one with most free
   * addresses, then by name.
   */
  preferred({ nodePool, resolved, size }: ZoneQuestion): readonly string[] {
    const nodes = this.#nodes(nodePool);
    const free = (zone: string): number => resolved.freeAddresses?.get(zone) ?? Infinity;
    const cramped = (zone: string): number => Number(free(zone) < size);
    return [...zonesWithRoom(resolved)].sort(
      (left, right) =>
        cramped(left) - cramped(right) ||
        (nodes.get(left) ?? 0) - (nodes.get(right) ?? 0) ||
        // Infinity less itself is no number.
        Number(free(left) < free(right)) - Number(free(left) > free(right)) ||
        (left < right ? -1 : 1),
    );
  }

  /** The group is about to be launched, most likely there. */
  begins(group: string, { nodePool, size }: Pick<ZoneQuestion, 'nodePool' | 'size'>, zone: string): void {
    this.#underWay.set(group, { nodePool, zone, size });
  }

  /** What is to be launched is written on the group's claims, or is not going to be. */
  begun(group: string): void {
    this.#underWay.delete(group);
  }

  #nodes(nodePool: string): ReadonlyMap<string, number> {
    const nodes = new Map<string, number>();
    const add = (zone: string, count: number): void => {
      nodes.set(zone, (nodes.get(zone) ?? 0) + count);
    };
    for (const claim of this.#claims()) {
      const zone = claim.spec.nodePool === nodePool ? zoneOf(claim) : undefined;
      if (zone !== undefined) add(zone, 1);
    }
    for (const group of this.#underWay.values()) if (group.nodePool === nodePool) add(group.zone, group.size);
    return nodes;
  }
}

/** Where a claim's instance is, or will most likely be; of spot only the cloud knows before it has answered. */
function zoneOf({ deletionTimestamp, status }: NodeClaim): string | undefined {
  if (deletionTimestamp !== undefined) return undefined;
  if (status.zone !== undefined) return status.zone;
  const { launch } = status;
  if (launch === undefined || launch.answeredAt !== undefined) return undefined;
  return launch.request.capacityType === 'spot' ? undefined : launch.request.overrides[0]?.zone;
}
