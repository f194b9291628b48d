/** Disks of a node as a launch template has them. */
import type { LaunchTemplateBlockDeviceMappingRequest } from '@aws-sdk/client-ec2';
import { ephemeralDevice, volumeBytes } from '../../api/volume-size.js';
import { imageFamily, type AmiFamily } from '../../families/families.js';
import type { NodeClassSpec } from '../../api/ec2-node-class.js';

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
