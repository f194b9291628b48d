/** What node classes before v1 meant where v1 says it differently. */
import { compact } from '../../../apis/fields/plain-metadata.js';
import type { EC2NodeClassInput } from './v1.js';

/** AMI families before v1. */
export const OLD_AMI_FAMILIES = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Ubuntu',
  'Custom',
  'Windows2019',
  'Windows2022',
] as const;
type OldFamily = (typeof OLD_AMI_FAMILIES)[number];

/** Hop limit of the instance metadata service before v1, which lets pods reach it. */
export const HOP_LIMIT_BEFORE_V1 = 2;

type Spec = EC2NodeClassInput['spec'];

/** The options with the old hop limit, which v1 lowered to 1. */
export function withHopLimit(given: Spec['metadataOptions']): NonNullable<Spec['metadataOptions']> {
  return compact({
    ...given,
    httpPutResponseHopLimit: given?.httpPutResponseHopLimit ?? HOP_LIMIT_BEFORE_V1,
  });
}

/** Ubuntu's root disk; v1 reads Ubuntu as AL2, whose default names another device. */
const UBUNTU_DISKS: NonNullable<Spec['blockDeviceMappings']> = [
  {
    deviceName: '/dev/sda1',
    rootVolume: true,
    ebs: { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' },
  },
];

/** Family, terms and disks in v1: without terms the newest AMI of the family, told by its alias. */
export function amiOf(
  family: OldFamily,
  terms: Spec['amiSelectorTerms'],
  disks: Spec['blockDeviceMappings'],
): Pick<Spec, 'amiFamily' | 'amiSelectorTerms' | 'blockDeviceMappings'> {
  if (family === 'Ubuntu')
    return { amiFamily: 'AL2', amiSelectorTerms: terms, blockDeviceMappings: disks ?? UBUNTU_DISKS };
  if (terms.length === 0 && family !== 'Custom') {
    return compact({
      amiSelectorTerms: [{ alias: `${family.toLowerCase()}@latest` }],
      blockDeviceMappings: disks,
    });
  }
  return compact({ amiFamily: family, amiSelectorTerms: terms, blockDeviceMappings: disks });
}
