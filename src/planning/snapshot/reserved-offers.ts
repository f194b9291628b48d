import type { InstanceType } from '../../domain/instance-type.js';
import { CAPACITY_RESERVATION_ID } from '../../domain/labels.js';
import type { PlannedClaim } from '../plan.js';
import type { PoolOffer } from './cluster-input.js';

/** Offers of pools once these claims are launched: each takes one instance of its capacity reservation. */
export function offersAfter(
  pools: readonly PoolOffer[],
  claims: readonly Pick<PlannedClaim, 'chosenLabels'>[],
): readonly PoolOffer[] {
  const taken = new Map<string, number>();
  for (const { chosenLabels } of claims) {
    const id = chosenLabels.get(CAPACITY_RESERVATION_ID);
    if (id !== undefined) taken.set(id, (taken.get(id) ?? 0) + 1);
  }
  if (taken.size === 0) return pools;
  return pools.map(({ instanceTypes, ...offer }) => ({
    ...offer,
    instanceTypes: instanceTypes?.map((type) => typeAfter(type, taken)),
  }));
}

function typeAfter(type: InstanceType, taken: ReadonlyMap<string, number>): InstanceType {
  if (!type.offerings.some(({ reservation }) => taken.has(reservation?.id ?? ''))) return type;
  return {
    ...type,
    offerings: type.offerings.map((offering) => {
      const { reservation, available } = offering;
      if (reservation === undefined) return offering;
      const count = reservation.count - (taken.get(reservation.id) ?? 0);
      return { ...offering, available: available && count > 0, reservation: { ...reservation, count } };
    }),
  };
}
