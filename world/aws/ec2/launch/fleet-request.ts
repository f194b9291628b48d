/** A CreateFleet request, read and checked. */
import type { QueryNode } from '../../protocol/query.js';
import { invalidValue, ServiceError } from '../../model/service-error.js';
import type { LaunchMarket } from '../instances/capacity-reservations.js';
import { ON_DEMAND_STRATEGIES, SPOT_STRATEGIES, type AllocationStrategy } from './allocate.js';

export interface FleetPart {
  readonly capacityType: 'spot' | 'on-demand';
  /** What launch templates have to be for. */
  readonly market: LaunchMarket;
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
  const market = readMarket(query);
  return [
    {
      capacityType: 'on-demand' as const,
      market,
      wanted: counts.onDemand,
      strategy: readStrategy(query, 'OnDemandOptions', ON_DEMAND_STRATEGIES),
      least: query.integer('OnDemandOptions.MinTargetCapacity') ?? 0,
    },
    {
      capacityType: 'spot' as const,
      market: 'spot' as const,
      wanted: counts.spot,
      strategy: readStrategy(query, 'SpotOptions', SPOT_STRATEGIES),
      least: query.integer('SpotOptions.MinTargetCapacity') ?? 0,
    },
  ].filter(({ wanted }) => wanted > 0);
}

/** DefaultTargetCapacityType → the market of the launch templates (EC2 user guide, EC2 Fleet tutorials). */
const RESERVED_TARGETS: ReadonlyMap<string, LaunchMarket> = new Map([
  ['capacity-block', 'capacity-block'],
  ['reserved-capacity', 'interruptible-capacity-reservation'],
]);

function readMarket(query: QueryNode): LaunchMarket {
  const target = query.text('TargetCapacitySpecification.DefaultTargetCapacityType') ?? '';
  const market = RESERVED_TARGETS.get(target) ?? 'on-demand';
  const types = query.texts('ReservedCapacityOptions.ReservationType');
  const isNamed = types.includes('interruptible-capacity-reservation');
  if (
    isNamed !== (target === 'reserved-capacity') ||
    (market !== 'on-demand' && !query.node('OnDemandOptions').isEmpty)
  )
    throw new ServiceError(
      'InvalidParameterCombination',
      `The options of the fleet do not go with DefaultTargetCapacityType ${target}`,
    );
  return market;
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
  return withDefault(target.text('DefaultTargetCapacityType') ?? 'on-demand', { onDemand, spot, rest });
}

/** What is left of the total is of the default type. Capacity that is reserved is counted as on-demand. */
function withDefault(
  usual: string,
  { onDemand, spot, rest }: { readonly onDemand: number; readonly spot: number; readonly rest: number },
): { readonly onDemand: number; readonly spot: number } {
  if (RESERVED_TARGETS.has(usual) && onDemand + spot > 0)
    throw new ServiceError(
      'InvalidTargetCapacitySpecification',
      `On-demand and spot target capacity are not supported with ${usual}`,
    );
  if (usual === 'on-demand' || RESERVED_TARGETS.has(usual)) return { onDemand: onDemand + rest, spot };
  if (usual === 'spot') return { onDemand, spot: spot + rest };
  const allowed = ['spot', 'on-demand', ...RESERVED_TARGETS.keys()];
  throw invalidValue('DefaultTargetCapacityType', usual, `Allowed: ${allowed.join(', ')}.`);
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
