/** A launch as CreateFleet is asked for it: a function of the durable request, so that asked again it is the same text. */
import type {
  CreateFleetCommandInput,
  DefaultTargetCapacityType,
  FleetLaunchTemplateConfigRequest,
  FleetLaunchTemplateOverridesRequest,
} from '@aws-sdk/client-ec2';
import { isInOrderOfPrice } from '../../../../domain/nodes/launch-order.js';
import type { LaunchOverride, LaunchRequest } from '../../../../domain/nodes/node-claim.js';
import { instanceTags, LAUNCH_TOKEN, type LaunchCall } from '../../../../ports/cloud.js';
import { PortError } from '../../../../ports/port-error.js';
import { ec2Tags } from '../client/ec2-tags.js';

/** @throws PortError Invalid, for what EC2 would refuse or misread. */
export function fleetRequest(call: LaunchCall): CreateFleetCommandInput {
  const { token, request } = call;
  const { size, overrides, context } = request;
  check(token, size, overrides);
  const Tags = ec2Tags(instanceTags(call));
  return {
    Type: 'instant',
    ClientToken: token,
    ...(context !== undefined && { Context: context }),
    LaunchTemplateConfigs: configsOf(overrides),
    ...capacityOf(request),
    TagSpecifications: [
      // Organizations may ask for tags on whatever is created.
      { ResourceType: 'fleet', Tags },
      { ResourceType: 'instance', Tags },
      { ResourceType: 'volume', Tags },
    ],
  };
}

/** How the instances are paid for (EC2 user guide: EC2 Fleet of type instant, capacity blocks, interruptible reservations). */
function capacityOf({
  capacityType,
  market,
  size: TotalTargetCapacity,
  overrides,
}: LaunchRequest): Pick<
  CreateFleetCommandInput,
  'TargetCapacitySpecification' | 'SpotOptions' | 'OnDemandOptions' | 'ReservedCapacityOptions'
> {
  const of = (DefaultTargetCapacityType: DefaultTargetCapacityType) => ({
    TargetCapacitySpecification: { TotalTargetCapacity, DefaultTargetCapacityType },
  });
  if (capacityType === 'spot')
    return { ...of('spot'), SpotOptions: { AllocationStrategy: spotStrategy(overrides) } };
  // Options of on-demand instances beside it would be refused.
  if (market === 'capacity-block') return of('capacity-block');
  if (market === 'interruptible-capacity-reservation')
    return { ...of('reserved-capacity'), ReservedCapacityOptions: { ReservationTypes: [market] } };
  // Our order is by price, and says in which zone instances of one price should be.
  return { ...of('on-demand'), OnDemandOptions: { AllocationStrategy: 'prioritized' } };
}

/** What is cheap and deep; but what NodeOverlays put first, as far as there is room. */
function spotStrategy(
  overrides: readonly LaunchOverride[],
): 'price-capacity-optimized' | 'capacity-optimized-prioritized' {
  return isInOrderOfPrice(overrides) ? 'price-capacity-optimized' : 'capacity-optimized-prioritized';
}

/** One entry for each template, in the order in which they are first asked for. */
function configsOf(overrides: readonly LaunchOverride[]): FleetLaunchTemplateConfigRequest[] {
  const byTemplate = new Map<string, FleetLaunchTemplateOverridesRequest[]>();
  for (const [priority, { instanceType, zone, subnetID, launchTemplate }] of overrides.entries()) {
    const key = `${launchTemplate?.id ?? ''} ${launchTemplate?.version ?? ''}`;
    const override: FleetLaunchTemplateOverridesRequest = {
      InstanceType: instanceType as NonNullable<FleetLaunchTemplateOverridesRequest['InstanceType']>,
      SubnetId: subnetID,
      // Beside the subnet it says nothing new, but what EC2 complains about then names its zone.
      AvailabilityZone: zone,
      Priority: priority,
    };
    byTemplate.set(key, [...(byTemplate.get(key) ?? []), override]);
  }
  return [...byTemplate].map(([key, Overrides]) => {
    const [LaunchTemplateId, Version] = key.split(' ');
    return { LaunchTemplateSpecification: { LaunchTemplateId, Version }, Overrides };
  });
}

function check(token: string, size: number, overrides: readonly LaunchOverride[]): void {
  if (!LAUNCH_TOKEN.test(token)) throw invalid('the token must be 1 to 64 ASCII characters');
  if (!Number.isInteger(size) || size < 1) throw invalid(`size ${String(size)}: must be at least 1`);
  if (overrides.length === 0) throw invalid('overrides: at least one is needed');
  if (overrides.some(({ launchTemplate }) => launchTemplate === undefined))
    throw invalid('overrides: each needs a launch template');
}

function invalid(message: string): PortError {
  return new PortError('Invalid', { operation: 'ec2:CreateFleet', message });
}
