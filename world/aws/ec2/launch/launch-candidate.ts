/** One way to launch: settings made concrete, and what stands in its way apart from capacity. */
import type { CapacityPool } from '../../model/capacity-stock.js';
import { ServiceError } from '../../model/service-error.js';
import type { Account } from '../account/account.js';
import type { CapacityReservation } from '../instances/capacity-reservations.js';
import type { PlacementGroup } from '../instances/placement-groups.js';
import type { SimulatedImage } from '../images/image.js';
import { imageNotFound } from '../images/images.js';
import type { InstanceProfileReference } from '../../iam/instance-profiles.js';
import type { InstanceDescription } from '../instances/instance.js';
import { checkInterfaces } from './check-interfaces.js';
import type { LaunchSettings } from './launch-settings.js';
import type { Subnet } from '../network/subnet.js';

export interface LaunchCandidate {
  readonly pool: CapacityPool;
  readonly subnet: Subnet;
  readonly vcpu: number;
  /** USD/h now. */
  readonly price: number;
  /** The capacity reservation that the instance comes from. */
  readonly reservation: CapacityReservation | undefined;
  /** The placement group that the instance is to be in. */
  readonly placementGroup: PlacementGroup | undefined;
  readonly description: InstanceDescription;
}

/** @throws ServiceError saying what is wrong with these settings. */
export function launchCandidate(
  account: Account,
  settings: LaunchSettings,
  capacityType: 'spot' | 'on-demand',
): LaunchCandidate {
  const instanceType = settings.instanceType ?? missing('InstanceType');
  const facts = account.offerings.facts(instanceType);
  if (facts === undefined)
    throw new ServiceError('InvalidParameterValue', `Invalid value '${instanceType}' for InstanceType.`);
  const subnet = subnetOf(account, settings);
  const image = imageOf(account, settings);
  if ((facts.arch === 'arm64') !== (image.architecture === 'arm64'))
    throw new ServiceError(
      'InvalidParameterValue',
      `The architecture '${facts.arch === 'arm64' ? 'arm64' : 'x86_64'}' of the specified instance type does not match the architecture '${image.architecture}' of the specified AMI.`,
    );
  if (settings.enclaves && facts.nitroEnclaves !== true)
    throw new ServiceError(
      'Unsupported',
      `The requested configuration is currently not supported: ${instanceType} has no Nitro Enclaves (EnclaveOptions.Enabled).`,
    );
  const pool = { instanceType, zone: subnet.zone, capacityType };
  const reservation = account.reservations.aimedAt({ ...settings, instanceType, zone: subnet.zone });
  const { placement: aim } = settings;
  const group = aim && account.placementGroups.aimedAt(aim, instanceType, subnet.zone);
  return {
    pool,
    subnet,
    vcpu: facts.vcpu,
    reservation,
    placementGroup: group,
    price: priceOf(account, pool, settings.maxPrice),
    description: {
      pool,
      vcpu: facts.vcpu,
      isNitro: facts.hypervisor === 'nitro',
      image,
      subnet,
      securityGroupIDs: groupsOf(account, settings),
      profile: profileOf(account, settings.profile),
      userData: settings.userData ?? '',
      clientToken: undefined,
      metadata: settings.metadata,
      volumes: settings.volumes,
      detailedMonitoring: settings.detailedMonitoring,
      enclaves: settings.enclaves,
      interfaces: checkInterfaces(settings, facts, subnet),
      capacityReservationID: reservation?.id,
      tenancy: settings.tenancy ?? 'default',
      placement: group && { id: group.id, name: group.name, partition: aim.partition },
    },
  };
}

function subnetOf({ network }: Account, { subnetID, zone }: LaunchSettings): Subnet {
  if (subnetID === undefined)
    throw new ServiceError(
      'MissingInput',
      `No subnets found for the default VPC '${network.vpcID}'. Please specify a subnet.`,
    );
  const subnet = network.subnet(subnetID);
  if (subnet === undefined)
    throw new ServiceError('InvalidSubnetID.NotFound', `The subnet ID '${subnetID}' does not exist`);
  if (zone !== undefined && zone !== subnet.zone)
    throw new ServiceError(
      'InvalidParameterCombination',
      `The subnet '${subnetID}' is not in the Availability Zone '${zone}'`,
    );
  return subnet;
}

function imageOf({ images }: Account, { imageID }: LaunchSettings): SimulatedImage {
  const id = imageID ?? missing('ImageId');
  const image = images.find(id);
  if (image === undefined) throw imageNotFound(id);
  return image;
}

function groupsOf({ network }: Account, { securityGroupIDs }: LaunchSettings): readonly string[] {
  const unknown = securityGroupIDs.find((id) => network.securityGroup(id) === undefined);
  if (unknown !== undefined)
    throw new ServiceError('InvalidGroup.NotFound', `The security group '${unknown}' does not exist`);
  return securityGroupIDs.length > 0 ? securityGroupIDs : [network.defaultGroupID];
}

function profileOf({ profiles }: Account, profile: string | undefined): InstanceProfileReference | undefined {
  if (profile === undefined) return undefined;
  const known = profiles.reference(profile);
  if (known !== undefined) return known;
  throw new ServiceError(
    'InvalidParameterValue',
    `Value (${profile}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
  );
}

function priceOf({ offerings, market, clock }: Account, pool: CapacityPool, maxPrice?: number): number {
  const { instanceType, zone } = pool;
  const isSpot = pool.capacityType === 'spot';
  const price = isSpot ? market.price(pool, clock.now()) : offerings.listPrice(pool);
  if (price === undefined)
    throw new ServiceError(
      'InvalidFleetConfiguration',
      `Your requested instance type (${instanceType}) is not supported in your requested Availability Zone (${zone}).`,
    );
  if (isSpot && maxPrice !== undefined && maxPrice < price)
    throw new ServiceError(
      'SpotMaxPriceTooLow',
      `Your Spot request price of ${String(maxPrice)} is lower than the minimum required Spot request fulfillment price of ${String(price)}.`,
    );
  return price;
}

function missing(parameter: string): never {
  throw new ServiceError('MissingParameter', `The request must contain the parameter ${parameter}`);
}
