/** Instances and reservations as EC2 tells them. */
import { xmlTime, type XmlStructure } from '../../protocol/xml.js';
import { stableID } from '../../model/stable-hash.js';
import type { Account } from '../account/account.js';
import type { SimulatedImage } from '../images/image.js';
import {
  STATE_CODES,
  type Instance,
  type InstanceState,
  type InterfaceDescription,
} from '../instances/instance.js';
import { tagSet } from '../query/tags.js';

const USUAL_METADATA = {
  httpTokens: 'optional',
  httpPutResponseHopLimit: 1,
  httpEndpoint: 'enabled',
  httpProtocolIpv6: 'disabled',
  instanceMetadataTags: 'disabled',
};

/** Instances of one reservation, as they are seen now; at least one. */
export function reservationXml(account: Account, instances: readonly Instance[], now: number): XmlStructure {
  return {
    reservationId: instances[0]?.reservationID,
    ownerId: account.id,
    groupSet: [],
    instancesSet: instances.map((instance) => instanceXml(account, instance, now)),
  };
}

export function stateXml(state: InstanceState): XmlStructure {
  return { code: STATE_CODES[state], name: state };
}

function instanceXml(account: Account, instance: Instance, now: number): XmlStructure {
  const { image, pool, metadata } = instance;
  const state = instance.state.seen(now) ?? 'pending';
  const isGone = state === 'terminated';
  const isSpot = pool.capacityType === 'spot';
  return {
    instanceId: instance.id,
    imageId: image.id,
    instanceState: stateXml(state),
    privateDnsName: isGone ? '' : instance.privateDnsName,
    dnsName: '',
    reason: instance.transition,
    amiLaunchIndex: instance.index,
    productCodes: [],
    instanceType: pool.instanceType,
    launchTime: xmlTime(instance.launchedAt),
    placement: {
      availabilityZone: pool.zone,
      availabilityZoneId: account.network.zoneID(pool.zone),
      groupName: instance.placement?.name ?? '',
      groupId: instance.placement?.id,
      partitionNumber: account.placementGroups.partitionOf(instance),
      tenancy: instance.tenancy,
    },
    monitoring: { state: instance.detailedMonitoring ? 'enabled' : 'disabled' },
    ...(isGone ? {} : networkXml(account, instance)),
    architecture: image.architecture,
    rootDeviceType: 'ebs',
    rootDeviceName: '/dev/xvda',
    blockDeviceMapping: isGone ? [] : volumesXml(instance),
    virtualizationType: 'hvm',
    clientToken: instance.clientToken ?? '',
    tagSet: tagSet(instance.tags.seen(now) ?? new Map()),
    hypervisor: 'xen',
    ...(isSpot ? { instanceLifecycle: 'spot', spotInstanceRequestId: spotRequestID(instance) } : {}),
    ...reservedXml(account, instance),
    ...whenKnown(instance),
    ebsOptimized: instance.isNitro,
    enaSupport: true,
    enclaveOptions: { enabled: instance.enclaves },
    metadataOptions: { state: 'applied', ...USUAL_METADATA, ...metadata },
    ...platformXml(image),
  };
}

/** Once the reservation is over the instance continues outside of it; what it was launched with stays. */
function reservedXml(
  { reservations }: Account,
  { capacityReservationID: capacityReservationId }: Instance,
): XmlStructure {
  if (capacityReservationId === undefined) return {};
  return {
    ...(reservations.isActive(capacityReservationId) && { capacityReservationId }),
    capacityReservationSpecification: { capacityReservationTarget: { capacityReservationId } },
  };
}

function platformXml({ isWindows }: SimulatedImage): XmlStructure {
  return isWindows ? { platform: 'windows', platformDetails: 'Windows' } : { platformDetails: 'Linux/UNIX' };
}

function whenKnown({ profile, stateReason }: Instance): XmlStructure {
  return {
    iamInstanceProfile: profile && { arn: profile.arn, id: profile.id },
    stateReason: stateReason && { code: stateReason.code, message: stateReason.message },
  };
}

function networkXml(account: Account, instance: Instance): XmlStructure {
  const { privateIP, subnet, securityGroupIDs, interfaces } = instance;
  const groups = securityGroupIDs.map((groupId) => ({
    groupId,
    groupName: account.network.securityGroup(groupId)?.name ?? '',
  }));
  const place = { subnetId: subnet.id, vpcId: account.network.vpcID, privateIpAddress: privateIP };
  return {
    ...place,
    ipv6Address: interfaces[0]?.ipv6 === true ? subnet.ipv6Of(privateIP) : undefined,
    sourceDestCheck: true,
    groupSet: groups,
    networkInterfaceSet: interfaces.map((item) => interfaceXml(item, { account, instance, place, groups })),
  };
}

/** The primary interface has the addresses that the instance is known by. */
function interfaceXml(
  { card, device, type, ipv6, primaryIPv6 }: InterfaceDescription,
  { account, instance, place, groups }: InterfacePlace,
): XmlStructure {
  const { privateIP, privateDnsName, subnet, launchedAt } = instance;
  const isPrimary = card === 0 && device === 0;
  const number = isPrimary ? '' : `:${String(card)}:${String(device)}`;
  const address = ipv6 ? subnet.ipv6Of(privateIP) : undefined;
  return {
    ...(isPrimary ? place : { subnetId: place.subnetId, vpcId: place.vpcId }),
    networkInterfaceId: stableID('eni', `${instance.id}${number}`),
    ownerId: account.id,
    status: 'in-use',
    privateDnsName: isPrimary ? privateDnsName : undefined,
    sourceDestCheck: true,
    groupSet: groups,
    attachment: {
      attachmentId: stableID('eni-attach', `${instance.id}${number}`),
      deviceIndex: device,
      networkCardIndex: card,
      status: 'attached',
      attachTime: xmlTime(launchedAt),
      deleteOnTermination: true,
    },
    privateIpAddressesSet: isPrimary ? [{ privateIpAddress: privateIP, privateDnsName, primary: true }] : [],
    ipv6AddressesSet:
      address === undefined ? [] : [{ ipv6Address: `${address}${number}`, isPrimaryIpv6: primaryIPv6 }],
    interfaceType: type,
  };
}

interface InterfacePlace {
  readonly account: Account;
  readonly instance: Instance;
  readonly place: { readonly subnetId: string; readonly vpcId: string; readonly privateIpAddress: string };
  readonly groups: readonly XmlStructure[];
}

function volumesXml({ id, volumes, launchedAt }: Instance): readonly XmlStructure[] {
  const described = volumes.length > 0 ? volumes : [{ deviceName: '/dev/xvda', deleteOnTermination: true }];
  return described.map(({ deviceName, deleteOnTermination }) => ({
    deviceName,
    ebs: {
      volumeId: stableID('vol', `${id} ${deviceName}`),
      status: 'attached',
      attachTime: xmlTime(launchedAt),
      deleteOnTermination,
    },
  }));
}

function spotRequestID({ id }: Instance): string {
  return stableID('sir', id).slice(0, 'sir-'.length + 8);
}
