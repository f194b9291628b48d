/** Claims without pods that stand for all that pools could launch: spread over their domains is kept where that is possible. */
import { CAPACITY_TYPE, ZONE } from '../../domain/labels.js';
import { allows } from '../../domain/requirement.js';
import { requirementsOf } from '../../domain/requirements.js';
import type { InstanceType } from '../../domain/instance-type.js';
import type { PlannedClaim } from '../plan.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';

/** For each pool one that may become any of its machines; more where a label has several values, one for each. */
export function possibleClaims(pools: readonly PoolOffer[]): readonly PlannedClaim[] {
  return pools.flatMap((offer) => {
    const { pool, instanceTypes = [], frozen } = offer;
    if (frozen === true || pool.replicas !== undefined) return [];
    const required = requirementsOf(pool.template.requirements);
    const isAllowed = (key: string, value: string | undefined): boolean => {
      const item = required.get(key);
      return item === undefined || allows(item, value);
    };
    const types = instanceTypes.filter(({ labels }) =>
      [...required.values()].every((item) => !labels.has(item.key) || allows(item, labels.get(item.key))),
    );
    const offerings = types.flatMap((type) => type.offerings);
    const listed = {
      nodePool: pool.name,
      instanceTypes: types.map(({ name }) => name),
      zones: [...new Set(offerings.map(({ zone }) => zone))].filter((zone) => isAllowed(ZONE, zone)),
      capacityTypes: [...new Set(offerings.map(({ capacityType }) => capacityType))].filter((type) =>
        isAllowed(CAPACITY_TYPE, type),
      ),
    };
    return openValues(offer, types).map((chosen, at) => ({
      ...EMPTY,
      ...listed,
      name: `any of ${pool.name} ${String(at)}`,
      chosenLabels: new Map(chosen),
    }));
  });
}

const EMPTY: Pick<
  PlannedClaim,
  'pods' | 'requests' | 'allocatable' | 'hourlyPrice' | 'hourlyPriceMax' | 'estimated'
> = {
  pods: [],
  requests: new Map(),
  allocatable: new Map(),
  hourlyPrice: 0,
  hourlyPriceMax: 0,
  estimated: false,
};

/** What a pool may choose: each of several values that it lists for a label that neither types nor offerings have. */
function openValues(
  { pool }: PoolOffer,
  types: readonly InstanceType[],
): readonly (readonly (readonly [key: string, value: string])[])[] {
  const open = pool.template.requirements.filter(
    ({ key, complement, values }) =>
      !complement &&
      values.size > 1 &&
      key !== ZONE &&
      key !== CAPACITY_TYPE &&
      !types.some(({ labels }) => labels.has(key)),
  );
  if (open.length === 0) return [[]];
  return open.flatMap(({ key, values }) => [...values].map((value) => [[key, value] as const]));
}
