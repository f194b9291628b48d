/** What a plan costs at the prices that are paid, where NodeOverlays have it counted with others. */
import { paidPrice, type InstanceType, type Offering } from '../../domain/nodes/instance-type.js';
import type { Plan, PlannedClaim } from '../../planning/plan.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';

/** USD/h of the claims, each on its cheapest listed offering; undefined where no pool is offered another price. */
export function listHourly({ claims }: Plan, offers: readonly PoolOffer[]): number | undefined {
  if (!offers.some(({ instanceTypes = [] }) => instanceTypes.some(isOverlaid))) return undefined;
  const byPool = new Map(
    offers.map(({ pool, instanceTypes = [] }) => [
      pool.name,
      new Map(instanceTypes.map((type) => [type.name, type])),
    ]),
  );
  return claims.reduce((sum, claim) => sum + paidFor(claim, byPool.get(claim.nodePool)), 0);
}

function isOverlaid({ offerings }: InstanceType): boolean {
  return offerings.some(({ listPrice }) => listPrice !== undefined);
}

function paidFor(
  { instanceTypes, zones, capacityTypes, hourlyPrice }: PlannedClaim,
  types: ReadonlyMap<string, InstanceType> | undefined,
): number {
  const listed = instanceTypes
    .flatMap((name) => types?.get(name)?.offerings ?? [])
    .filter(
      ({ zone, capacityType, available }) =>
        available && zones.includes(zone) && capacityTypes.includes(capacityType),
    );
  const cheapest = listed.reduce<Offering | undefined>(
    (best, offering) => (best === undefined || offering.price < best.price ? offering : best),
    undefined,
  );
  return cheapest === undefined ? hourlyPrice : paidPrice(cheapest);
}
