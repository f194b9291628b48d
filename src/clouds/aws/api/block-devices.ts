/** Disks of a node in documents. */
import * as z from 'zod';
import { refuse, withRule, type Loose, type RuleContext } from '../../../apis/decode/refuse.js';
import { intOrQuantity } from '../../../apis/fields/amount.js';
import { isVolumeSize, volumeBytes } from './volume-size.js';

const VOLUME_TYPES = ['standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3'] as const;
const MOST_DEVICES = 50;

type Range = readonly [least: number, most: number];

/** What EC2 takes per volume type (Amazon EBS volume types). */
const SPEEDS: Readonly<Record<'iops' | 'throughput', ReadonlyMap<string, Range>>> = {
  iops: new Map<string, Range>([
    ['gp3', [3000, 80_000]],
    ['io1', [100, 64_000]],
    ['io2', [100, 256_000]],
  ]),
  throughput: new Map<string, Range>([['gp3', [125, 2000]]]),
};

const ebsFields = {
  deleteOnTermination: z
    .boolean()
    .describe('Whether the volume is deleted with the instance. Default: true.')
    .optional(),
  encrypted: z
    .boolean()
    .describe('Whether the volume is encrypted. Default: as the AMI or the account specifies.')
    .optional(),
  iops: z
    .int()
    .describe(
      'Provisioned operations per second: 3000 to 80000 for gp3, 100 to 64000 for io1, 100 to 256000 for io2; not for other types.',
    )
    .optional(),
  kmsKeyID: z.string().describe('Id, alias or ARN of the KMS key that encrypts the volume.').optional(),
  snapshotID: z.string().describe('Snapshot that the volume starts from.').optional(),
  throughput: z.int().describe('Throughput of a gp3 volume in MiB/s, 125 to 2000.').optional(),
  volumeType: z
    .enum(VOLUME_TYPES)
    .describe('Type of the volume. Default: gp3 for the volumes that Berth adds itself, else what EC2 takes.')
    .optional(),
};

const ebsV1 = z.strictObject({
  ...ebsFields,
  volumeInitializationRate: z
    .int()
    .min(100)
    .max(300)
    .describe('MiB/s at which the snapshot is downloaded, 100 to 300; needs snapshotID.')
    .optional(),
  volumeSize: z
    .string()
    .refine(
      isVolumeSize,
      'must be a size such as 100Gi: whole Gi (to 59000), G (to 64000), Ti (to 58) or T (to 64)',
    )
    .describe('Size of the volume in Gi, G, Ti or T. Needed without a snapshot.')
    .optional(),
});

const ebsV1Alpha1 = z.strictObject({
  ...ebsFields,
  volumeSize: intOrQuantity
    .superRefine(checkOldSize)
    .describe('Size of the volume, 1G to 64T. Needed without a snapshot.')
    .optional(),
});

const deviceName = z.string().describe('Device under which the volume is attached, for example /dev/xvda.');
const EBS = 'The EBS volume behind the device.';
const LIST =
  'Disks of the node. Default: the root volume of the AMI family, 20Gi gp3 (Windows: 50Gi; Bottlerocket: 4Gi for the system and 20Gi for data). At most 50.';

/** Disks as karpenter.k8s.aws/v1 has them. */
export const blockDevicesV1 = z
  .array(
    z.strictObject({
      deviceName: deviceName.optional(),
      ebs: withRule(ebsV1, checkEbs).describe(EBS).optional(),
      rootVolume: z
        .boolean()
        .describe(
          'Whether this is the disk of kubelet and containers, whose size is the ephemeral storage of pods. At most one. Default: told by the device name that the AMI family uses.',
        )
        .optional(),
    }),
  )
  .max(MOST_DEVICES)
  .superRefine((list, context) => {
    const roots = list.flatMap((device, index) => (device.rootVolume === true ? [index] : []));
    for (const index of roots.slice(1))
      refuse(context, 'is a second root volume: at most one may be marked', {
        path: [index, 'rootVolume'],
        code: 'conflict',
      });
  })
  .describe(LIST);

/** Disks as an AWSNodeTemplate has them. */
export const blockDevicesV1Alpha1 = z
  .array(z.strictObject({ deviceName, ebs: withRule(ebsV1Alpha1, checkEbs).describe(EBS) }))
  .max(MOST_DEVICES)
  .describe(LIST);

function checkEbs(ebs: Loose, context: RuleContext): void {
  const { snapshotID, volumeSize, volumeInitializationRate: rate, volumeType, iops, throughput } = ebs;
  if (snapshotID === undefined && volumeSize === undefined) {
    refuse(context, 'must have snapshotID or volumeSize', { code: 'missing-field' });
  }
  if (rate !== undefined && (snapshotID === undefined || snapshotID === '')) {
    refuse(context, 'needs snapshotID', { path: ['volumeInitializationRate'], code: 'missing-field' });
  }
  // Without a type EC2 decides by the account's default, so nothing can be said.
  if (typeof volumeType !== 'string') return;
  if (typeof iops === 'number') checkSpeed('iops', iops, volumeType, context);
  if (typeof throughput === 'number') checkSpeed('throughput', throughput, volumeType, context);
}

function checkSpeed(field: keyof typeof SPEEDS, given: number, type: string, context: RuleContext): void {
  const ranges = SPEEDS[field];
  const range = ranges.get(type);
  if (range === undefined) {
    const allowed = [...ranges.keys()].join(', ');
    refuse(context, `cannot be set for volumeType ${type}; only for ${allowed}`, {
      path: [field],
      code: 'conflict',
    });
  } else if (given < range[0] || given > range[1]) {
    const [least, most] = range;
    refuse(context, `must be from ${String(least)} to ${String(most)} for ${type}, not ${String(given)}`, {
      path: [field],
    });
  }
}

function checkOldSize(size: string | number, context: RuleContext): void {
  const bytes = volumeBytes(String(size));
  if (bytes === undefined || bytes < 1e9 || bytes > 64e12) {
    refuse(context, `must be a size from 1G to 64T, not ${String(size).slice(0, 40)}`);
  }
}
