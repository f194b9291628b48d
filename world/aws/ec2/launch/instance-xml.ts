/** Instances and reservations as EC2 tells them. */
import { xmlTime, type XmlStructure } from '../../protocol/xml.js';
import { stableID } from '../../model/stable-hash.js';
import type { Account } from '../account/account.js';
import type { SimulatedImage } from '../images/image.js';
import { STATE_CODES, type Instance, type InstanceState } from '../instances/instance.js';
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
      groupName: '',
      tenancy: 'default',
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
    ...reservedXml(instance),
    ...whenKnown(instance),
    ebsOptimized: instance.isNitro,
    enaSupport: true,
    enclaveOptions: { enabled: instance.enclaves },
    metadataOptions: { state: 'applied', ...USUAL_METADATA, ...metadata },
    ...platformXml(image),
  };
}

function reservedXml({ capacityReservationID: capacityReservationId }: Instance): XmlStructure {
  if (capacityReservationId === undefined) return {};
  return {
    capacityReservationId,
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
  const { privateIP, privateDnsName, subnet, securityGroupIDs } = instance;
  const groups = securityGroupIDs.map((groupId) => ({
    groupId,
    groupName: account.network.securityGroup(groupId)?.name ?? '',
  }));
  const place = { subnetId: subnet.id, vpcId: account.network.vpcID, privateIpAddress: privateIP };
  return {
    ...place,
    sourceDestCheck: true,
    groupSet: groups,
    networkInterfaceSet: [
      {
        ...place,
        networkInterfaceId: stableID('eni', instance.id),
        ownerId: account.id,
        status: 'in-use',
        privateDnsName,
        sourceDestCheck: true,
        groupSet: groups,
        attachment: {
          attachmentId: stableID('eni-attach', instance.id),
          deviceIndex: 0,
          networkCardIndex: 0,
          status: 'attached',
          attachTime: xmlTime(instance.launchedAt),
          deleteOnTermination: true,
        },
        privateIpAddressesSet: [{ privateIpAddress: privateIP, privateDnsName, primary: true }],
        ipv6AddressesSet: [],
        interfaceType: 'interface',
      },
    ],
  };
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
