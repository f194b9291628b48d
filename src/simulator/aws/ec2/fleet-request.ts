/** A CreateFleet request, read and checked. */
import type { QueryNode } from '../protocol/query.js';
import { invalidValue, ServiceError } from '../service-error.js';
import { ON_DEMAND_STRATEGIES, SPOT_STRATEGIES, type AllocationStrategy } from './allocate.js';

export interface FleetPart {
  readonly capacityType: 'spot' | 'on-demand';
  readonly wanted: number;
  readonly strategy: AllocationStrategy;
  /** Fewer than these is none. */
  readonly least: number;
}

const NOT_SIMULATED = [
  'SpotOptions.SingleInstanceType',
  'SpotOptions.SingleAvailabilityZone',
  'SpotOptions.MaxTotalPrice',
  'OnDemandOptions.SingleInstanceType',
  'OnDemandOptions.SingleAvailabilityZone',
  'OnDemandOptions.MaxTotalPrice',
  'OnDemandOptions.CapacityReservationOptions.UsageStrategy',
];

/**
 * How many are wanted on demand and on spot, in this order.
 * @throws ServiceError on what EC2 refuses, and UnsupportedOperation on what is not simulated.
 */
export function readFleetParts(query: QueryNode): readonly FleetPart[] {
  const type = query.text('Type') ?? 'maintain';
  if (type !== 'instant')
    throw new ServiceError('UnsupportedOperation', `Fleets of type ${type} are not simulated: use instant`);
  const unsupported = NOT_SIMULATED.find((name) => !['false', undefined].includes(query.text(name)));
  if (unsupported !== undefined)
    throw new ServiceError('UnsupportedOperation', `${unsupported} is not simulated`);
  const counts = readCounts(query.node('TargetCapacitySpecification'));
  return [
    {
      capacityType: 'on-demand' as const,
      wanted: counts.onDemand,
      strategy: readStrategy(query, 'OnDemandOptions', ON_DEMAND_STRATEGIES),
      least: query.integer('OnDemandOptions.MinTargetCapacity') ?? 0,
    },
    {
      capacityType: 'spot' as const,
      wanted: counts.spot,
      strategy: readStrategy(query, 'SpotOptions', SPOT_STRATEGIES),
      least: query.integer('SpotOptions.MinTargetCapacity') ?? 0,
    },
  ].filter(({ wanted }) => wanted > 0);
}

function readCounts(target: QueryNode): { readonly onDemand: number; readonly spot: number } {
  const total = target.integer('TotalTargetCapacity');
  if (total === undefined || total < 1)
    throw invalidValue('TotalTargetCapacity', String(total), 'It must be at least 1.');
  const onDemand = target.integer('OnDemandTargetCapacity') ?? 0;
  const spot = target.integer('SpotTargetCapacity') ?? 0;
  const rest = total - onDemand - spot;
  if (onDemand < 0 || spot < 0 || rest < 0)
    throw new ServiceError(
      'InvalidTargetCapacitySpecification',
      'On-demand and spot target capacity must not be more than the total',
    );
  const usual = target.text('DefaultTargetCapacityType') ?? 'on-demand';
  if (usual === 'on-demand') return { onDemand: onDemand + rest, spot };
  if (usual === 'spot') return { onDemand, spot: spot + rest };
  throw invalidValue('DefaultTargetCapacityType', usual, 'Allowed: spot, on-demand.');
}

/** lowest-price when not given. The API's older spelling, `lowestPrice`, is understood. */
function readStrategy(
  query: QueryNode,
  options: string,
  allowed: readonly AllocationStrategy[],
): AllocationStrategy {
  const text = query.text(`${options}.AllocationStrategy`) ?? 'lowest-price';
  const spelled = text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const strategy = allowed.find((known) => known === spelled);
  if (strategy !== undefined) return strategy;
  throw invalidValue(`${options}.AllocationStrategy`, text, `Allowed: ${allowed.join(', ')}.`);
}
