/** What a launch template says: everything about a node but its type, its subnet and how it is paid for. */
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { CapacityType } from '../../../../domain/nodes/instance-type.js';
import type { ReservedMarket } from '../../../../domain/nodes/node-claim.js';
import type { AmiFamily } from '../../families/families.js';
import type { ResolvedReservation } from '../../../../ports/cloud.js';
import { blockDevices } from './block-devices.js';
import { ec2Tags } from './ec2-tags.js';
import { networkOf } from './network-interfaces.js';
import type { NodeClassSpec } from '../../api/ec2-node-class.js';

export interface TemplateQuestion {
  readonly spec: NodeClassSpec;
  readonly family: AmiFamily;
  readonly imageID: string;
  readonly securityGroupIDs: readonly string[];
  readonly instanceProfile: string;
  /** Not encoded yet; empty for none. */
  readonly userData: string;
  readonly capacityType: CapacityType;
  /** The capacity reservation that instances are launched into; undefined: none, not even an open one. */
  readonly reservation?: Pick<ResolvedReservation, 'id' | 'type' | 'interruptible'> | undefined;
  /** On what EC2 creates besides instances and volumes, which get theirs from the call. */
  readonly ownerTags: readonly (readonly [string, string])[];
  /** Least size of the volume that pods write to. */
  readonly rootVolumeGiB?: number | undefined;
}

export function launchTemplateData(question: TemplateQuestion): RequestLaunchTemplateData {
  const { spec, family, imageID, securityGroupIDs, instanceProfile, userData } = question;
  const Tags = ec2Tags(new Map(Object.entries(spec.tags ?? {})), new Map(question.ownerTags));
  return {
    ImageId: imageID,
    IamInstanceProfile: { Name: instanceProfile },
    ...networkOf(spec, securityGroupIDs),
    BlockDeviceMappings: blockDevices(family, spec.blockDeviceMappings, question.rootVolumeGiB),
    MetadataOptions: metadataOptions(spec),
    ...(userData !== '' && { UserData: Buffer.from(userData, 'utf8').toString('base64') }),
    ...(spec.detailedMonitoring !== undefined && { Monitoring: { Enabled: spec.detailedMonitoring } }),
    ...(spec.cpuOptions?.nestedVirtualization && {
      CpuOptions: { NestedVirtualization: spec.cpuOptions.nestedVirtualization },
    }),
    ...(spec.placementGroupSelector && {
      Placement: { GroupName: spec.placementGroupSelector.name, GroupId: spec.placementGroupSelector.id },
    }),
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
