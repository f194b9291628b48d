/** What a launch template says: everything about a node but its type, its subnet and how it is paid for. */
import type {
  LaunchTemplateBlockDeviceMappingRequest,
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import type { CapacityType } from '../../../../domain/nodes/instance-type.js';
import type { Tenancy } from '../../../../domain/nodes/tenancy.js';
import type { ReservedMarket } from '../../../../domain/nodes/node-claim.js';
import { type AmiFamily, imageFamily } from '../../families/families.js';
import type { ResolvedReservation } from '../../../../ports/cloud.js';
import { ec2Tags } from '../client/ec2-tags.js';
import type { NodeClassSpec } from '../../api/ec2-node-class.js';
import { ephemeralDevice, volumeBytes } from '../../api/volume-size.js';

export interface TemplateQuestion {
  readonly spec: NodeClassSpec;
  readonly family: AmiFamily;
  readonly imageID: string;
  readonly securityGroupIDs: readonly string[];
  readonly instanceProfile: string;
  /** Not encoded yet; empty for none. */
  readonly userData: string;
  readonly capacityType: CapacityType;
  /** `default` unless given. */
  readonly tenancy?: Tenancy | undefined;
  /** The capacity reservation that instances are launched into; undefined: none, not even an open one. */
  readonly reservation?: Pick<ResolvedReservation, 'id' | 'type' | 'interruptible'> | undefined;
  /** Number of the partition of the placement group; undefined: EC2 chooses one, where there are any. */
  readonly partition?: number | undefined;
  /** On what EC2 creates besides instances and volumes, which get theirs from the call. */
  readonly ownerTags: readonly (readonly [string, string])[];
  /** Least size of the volume that pods write to. */
  readonly rootVolumeGiB?: number | undefined;
  /** Whether pods and nodes of the cluster have IPv6 addresses; false unless given. */
  readonly isIPv6?: boolean | undefined;
  /** Network cards that get an Elastic Fabric Adapter, where the node class names no interfaces; none unless given. */
  readonly efaCards?: readonly number[] | undefined;
}

export function launchTemplateData(question: TemplateQuestion): RequestLaunchTemplateData {
  const { spec, family, imageID, instanceProfile, userData } = question;
  const Tags = ec2Tags(new Map(Object.entries(spec.tags ?? {})), new Map(question.ownerTags));
  return {
    ImageId: imageID,
    IamInstanceProfile: { Name: instanceProfile },
    ...networkOf(question),
    BlockDeviceMappings: blockDevices(family, spec.blockDeviceMappings, question.rootVolumeGiB),
    MetadataOptions: metadataOptions(spec),
    ...(userData !== '' && { UserData: Buffer.from(userData, 'utf8').toString('base64') }),
    ...(spec.detailedMonitoring !== undefined && { Monitoring: { Enabled: spec.detailedMonitoring } }),
    ...(spec.cpuOptions?.nestedVirtualization && {
      CpuOptions: { NestedVirtualization: spec.cpuOptions.nestedVirtualization },
    }),
    ...(spec.enclaveOptions?.enabled !== undefined && {
      EnclaveOptions: { Enabled: spec.enclaveOptions.enabled },
    }),
    ...placementOf(question),
    ...capacityReservation(question),
    TagSpecifications: [
      { ResourceType: 'network-interface', Tags },
      // EC2 refuses tags of a spot request where there is none.
      ...(question.capacityType === 'spot'
        ? [{ ResourceType: 'spot-instances-request' as const, Tags }]
        : []),
    ],
  };
}

/** What is not said changes no template of an earlier version. */
function placementOf({
  spec,
  tenancy,
  partition,
}: TemplateQuestion): Pick<RequestLaunchTemplateData, 'Placement'> {
  const { placementGroupSelector: group } = spec;
  const isDedicated = tenancy === 'dedicated';
  if (group === undefined && !isDedicated) return {};
  return {
    Placement: {
      ...(group && { GroupName: group.name, GroupId: group.id, PartitionNumber: partition }),
      ...(isDedicated && { Tenancy: 'dedicated' }),
    },
  };
}

function metadataOptions({ metadataOptions: options }: NodeClassSpec) {
  return {
    HttpEndpoint: options.httpEndpoint,
    HttpProtocolIpv6: options.httpProtocolIPv6,
    HttpPutResponseHopLimit: options.httpPutResponseHopLimit,
    HttpTokens: options.httpTokens,
    // An account may turn them on by default, and EC2 then refuses tag keys with a slash, which ours have.
    InstanceMetadataTags: 'disabled' as const,
  };
}

/**
 * A capacity block and an interruptible reservation are markets of their own (EC2 user guide, EC2 Fleet tutorials). Instances
 * that are launched into no reservation leave open ones to those that are.
 */
function capacityReservation({ reservation }: TemplateQuestion): RequestLaunchTemplateData {
  if (reservation === undefined)
    return { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } };
  const market = marketOf(reservation);
  return {
    CapacityReservationSpecification: {
      CapacityReservationTarget: { CapacityReservationId: reservation.id },
    },
    ...(market !== undefined && { InstanceMarketOptions: { MarketType: market } }),
  };
}

/** The market of a reservation's capacity; undefined where EC2 counts it as on-demand. */
export function marketOf({
  type,
  interruptible,
}: Pick<ResolvedReservation, 'type' | 'interruptible'>): ReservedMarket | undefined {
  if (type === 'capacity-block') return 'capacity-block';
  return interruptible ? 'interruptible-capacity-reservation' : undefined;
}

// The network of a node as a launch template has it: security groups alone, or interfaces that have them.

type Network = Pick<RequestLaunchTemplateData, 'SecurityGroupIds' | 'NetworkInterfaces'>;

/** EC2 takes groups in one of the two places only. The subnet comes with the override. */
function networkOf(question: TemplateQuestion): Network {
  const { spec, securityGroupIDs, isIPv6 = false, efaCards = [] } = question;
  const { associatePublicIPAddress, ipPrefixCount, connectionTracking } = spec;
  const wanted: readonly Interface[] = spec.networkInterfaces?.length
    ? spec.networkInterfaces
    : withAdapters(efaCards);
  const isPlain = [associatePublicIPAddress, ipPrefixCount, connectionTracking].every(
    (value) => value === undefined,
  );
  if (isPlain && !isIPv6 && wanted === ONE) return { SecurityGroupIds: [...securityGroupIDs] };
  return { NetworkInterfaces: wanted.map((item) => interfaceOf(item, question)) };
}

interface Interface extends Omit<NodeClassInterface, 'interfaceType'> {
  readonly interfaceType: NodeClassInterface['interfaceType'] | 'efa';
}
type NodeClassInterface = NonNullable<NodeClassSpec['networkInterfaces']>[number];

/** The primary interface alone. */
const ONE: readonly Interface[] = [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }];

/** As Karpenter attaches them: one to each card, the primary interface as device 0 and the others as device 1. */
function withAdapters(cards: readonly number[]): readonly Interface[] {
  if (cards.length === 0) return ONE;
  const all = [...new Set([0, ...cards])];
  return all.map((card) => ({
    networkCardIndex: card,
    deviceIndex: card === 0 ? 0 : 1,
    interfaceType: cards.includes(card) ? 'efa' : 'interface',
  }));
}

function interfaceOf(
  { networkCardIndex, deviceIndex, interfaceType }: Interface,
  { spec, securityGroupIDs, isIPv6 = false }: TemplateQuestion,
): LaunchTemplateInstanceNetworkInterfaceSpecificationRequest {
  const { associatePublicIPAddress, ipPrefixCount, connectionTracking: tracking } = spec;
  const isPrimary = networkCardIndex === 0 && deviceIndex === 0;
  const prefixes = ipPrefixCount === 0 ? undefined : ipPrefixCount;
  return {
    NetworkCardIndex: networkCardIndex,
    DeviceIndex: deviceIndex,
    InterfaceType: interfaceType,
    Groups: [...securityGroupIDs],
    DeleteOnTermination: true,
    ...(isPrimary && {
      AssociatePublicIpAddress: associatePublicIPAddress,
      ...(isIPv6 ? { Ipv6PrefixCount: prefixes } : { Ipv4PrefixCount: prefixes }),
    }),
    // An EFA-only interface has no IP address, and so no connections that could be tracked.
    ...(interfaceType !== 'efa-only' && isIPv6 && { PrimaryIpv6: true, Ipv6AddressCount: 1 }),
    ...(interfaceType !== 'efa-only' &&
      tracking && {
        ConnectionTrackingSpecification: {
          TcpEstablishedTimeout: tracking.tcpEstablishedTimeout,
          UdpStreamTimeout: tracking.udpStreamTimeout,
          UdpTimeout: tracking.udpTimeout,
        },
      }),
  };
}

// Disks of a node as a launch template has them.

type Device = NonNullable<NodeClassSpec['blockDeviceMappings']>[number];

const GIB = 2 ** 30;

/** The disks of a node class that names none. A custom image has its own. */
function usualDevices(family: AmiFamily): readonly Device[] {
  return imageFamily(family).disks.map(({ deviceName, gib }) => ({
    deviceName,
    ebs: { volumeSize: `${String(gib)}Gi`, volumeType: 'gp3', encrypted: true },
  }));
}

/**
 * Those of the node class, else the family's. A marked root volume without a device is the family's last. The volume that
 * pods write to has at least so many GiB as are given.
 */
export function blockDevices(
  family: AmiFamily,
  devices: readonly Device[] = usualDevices(family),
  leastGiB = 0,
): LaunchTemplateBlockDeviceMappingRequest[] {
  const fallback = imageFamily(family).disks.at(-1)?.deviceName ?? '/dev/xvda';
  const measured = ephemeralDevice(devices, family)?.ebs;
  return devices.map(({ deviceName = fallback, ebs }) => ({
    DeviceName: deviceName,
    ...(ebs && {
      Ebs: {
        DeleteOnTermination: ebs.deleteOnTermination ?? true,
        Encrypted: ebs.encrypted,
        Iops: ebs.iops,
        KmsKeyId: ebs.kmsKeyID,
        SnapshotId: ebs.snapshotID,
        Throughput: ebs.throughput,
        VolumeInitializationRate: ebs.volumeInitializationRate,
        VolumeSize: sizeOf(ebs.volumeSize, ebs === measured ? leastGiB : 0),
        VolumeType: ebs.volumeType,
      },
    }),
  }));
}

/** EC2 counts in whole GiB; a size between two is rounded up. One that is not given stays the snapshot's. */
function sizeOf(size: string | undefined, leastGiB: number): number | undefined {
  const bytes = size === undefined ? undefined : volumeBytes(size);
  return bytes === undefined ? undefined : Math.max(leastGiB, Math.ceil(bytes / GIB));
}
