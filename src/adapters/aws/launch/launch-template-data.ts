/** What a launch template says: everything about a node but its type, its subnet and how it is paid for. */
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { AmiFamily } from '../../../domain/node-class.js';
import { blockDevices } from './block-devices.js';
import { ec2Tags } from './ec2-tags.js';
import { networkOf } from './network-interfaces.js';
import type { NodeClassSpec } from './node-class-spec.js';

export interface TemplateQuestion {
  readonly spec: NodeClassSpec;
  readonly family: AmiFamily;
  readonly imageID: string;
  readonly securityGroupIDs: readonly string[];
  readonly instanceProfile: string;
  /** Not encoded yet; empty for none. */
  readonly userData: string;
  /** The capacity reservation that machines are launched into. */
  readonly capacityReservationID?: string | undefined;
  /** Least size of the volume that pods write to. */
  readonly rootVolumeGiB?: number | undefined;
}

export function launchTemplateData(question: TemplateQuestion): RequestLaunchTemplateData {
  const { spec, family, imageID, securityGroupIDs, instanceProfile, userData } = question;
  const tags = ec2Tags(new Map(Object.entries(spec.tags ?? {})));
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
    // Machines and volumes get theirs from the call.
    ...(tags.length > 0 && { TagSpecifications: [{ ResourceType: 'network-interface', Tags: tags }] }),
  };
}

function metadataOptions({ metadataOptions: options }: NodeClassSpec) {
  return {
    HttpEndpoint: options.httpEndpoint,
    HttpProtocolIpv6: options.httpProtocolIPv6,
    HttpPutResponseHopLimit: options.httpPutResponseHopLimit,
    HttpTokens: options.httpTokens,
  };
}

function capacityReservation({ capacityReservationID: id }: TemplateQuestion): RequestLaunchTemplateData {
  if (id === undefined) return {};
  return {
    CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: id } },
  };
}
