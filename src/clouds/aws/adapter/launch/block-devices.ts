/** Disks of a node as a launch template has them. */
import type { LaunchTemplateBlockDeviceMappingRequest } from '@aws-sdk/client-ec2';
import { ephemeralDevice, volumeBytes } from '../../api/volume-size.js';
import type { AmiFamily } from '../../../../domain/policies/node-class.js';
import type { NodeClassSpec } from '../node-class-spec.js';

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

/**
 * Those of the node class, else the family's. A marked root volume without a device is the family's last. The volume that
 * pods write to has at least so many GiB as are given.
 */
export function blockDevices(
  family: AmiFamily,
  devices: readonly Device[] = USUAL_DEVICES[family],
  leastGiB = 0,
): LaunchTemplateBlockDeviceMappingRequest[] {
  const fallback = USUAL_DEVICES[family].at(-1)?.deviceName ?? '/dev/xvda';
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
