/** Disks of a node as a launch template has them. */
import type { LaunchTemplateBlockDeviceMappingRequest } from '@aws-sdk/client-ec2';
import { volumeBytes } from '../../../apis/ec2-node-class/volume-size.js';
import type { AmiFamily } from '../../../domain/node-class.js';
import type { NodeClassSpec } from './node-class-spec.js';

type Device = NonNullable<NodeClassSpec['blockDeviceMappings']>[number];

const GIB = 2 ** 30;

function usual(deviceName: string, gib: number): Device {
  return { deviceName, ebs: { volumeSize: `${String(gib)}Gi`, volumeType: 'gp3', encrypted: true } };
}

const WINDOWS = [usual('/dev/sda1', 50)];
const LINUX = [usual('/dev/xvda', 20)];

/** The disks of a node class that names none. A custom AMI has its own. */
const USUAL_DEVICES: Readonly<Record<AmiFamily, readonly Device[]>> = {
  AL2: LINUX,
  AL2023: LINUX,
  Bottlerocket: [usual('/dev/xvda', 4), usual('/dev/xvdb', 20)],
  Windows2019: WINDOWS,
  Windows2022: WINDOWS,
  Windows2025: WINDOWS,
  Custom: [],
};

/** Those of the node class, else the family's. A marked root volume without a device is the family's last. */
export function blockDevices(
  family: AmiFamily,
  devices: readonly Device[] | undefined,
): LaunchTemplateBlockDeviceMappingRequest[] {
  const fallback = USUAL_DEVICES[family].at(-1)?.deviceName ?? '/dev/xvda';
  return (devices ?? USUAL_DEVICES[family]).map(({ deviceName = fallback, ebs }) => ({
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
        VolumeSize: ebs.volumeSize === undefined ? undefined : gibOf(ebs.volumeSize),
        VolumeType: ebs.volumeType,
      },
    }),
  }));
}

/** EC2 counts in whole GiB; a size between two is rounded up. */
function gibOf(size: string): number | undefined {
  const bytes = volumeBytes(size);
  return bytes === undefined ? undefined : Math.ceil(bytes / GIB);
}
