/**
 * What EKS Auto Mode has of its own: NodeClass of eks.amazonaws.com/v1, read as an EC2NodeClass, and its labels (EKS user guide,
 * "Create a Node Class" and "Create a Node Pool for EKS Auto Mode").
 */
import * as z from 'zod';
import type { Finding } from '../../../apis/decode/findings.js';
import { plainObject } from '../../../apis/decode/plain.js';
import { withRule } from '../../../apis/decode/refuse.js';
import type { Rewrite } from '../../../apis/decode/rewrite.js';
import { envelope } from '../../../apis/fields/metadata.js';
import { compact, plainMetadata } from '../../../apis/fields/plain-metadata.js';
import { AWS_LABELS } from '../../../apis/fields/well-known-labels.js';
import { INSTANCE_PREFIX, type Labels } from '../../../domain/values/labels.js';
import { checkIdentity, launchTags } from './node-class-fields.js';
import { capacityReservationTerms, securityGroupTerms, subnetTerms } from './selector-terms.js';
import type { EC2NodeClassInput } from './v1.js';
import { isVolumeSize } from './volume-size.js';

const GROUP = 'eks.amazonaws.com';
export const AUTO_MODE_NODE_CLASS = { apiVersion: `${GROUP}/v1`, kind: 'NodeClass' };
/** Nodes of EKS Auto Mode have it with this value. */
const COMPUTE_TYPE = `${GROUP}/compute-type`;
const AUTO = 'auto';
/** Its labels of instance types, each with that of Karpenter which says the same. */
const LABELS = AWS_LABELS.filter((key) => key.startsWith(INSTANCE_PREFIX)).map(
  (key) => [`${GROUP}/instance-${key.slice(INSTANCE_PREFIX.length)}`, key] as const,
);

/** Which disk holds what pods write, of the operating system of EKS Auto Mode. */
const DATA_DEVICE = '/dev/xvdb';
const DEFAULT_STORAGE = '80Gi';

const ephemeralStorage = z
  .looseObject({
    size: z
      .string()
      .refine(isVolumeSize, 'must be a size such as 80Gi')
      .describe('Size of the data volume. Default: 80Gi.')
      .optional(),
    iops: z.int().describe('Provisioned operations per second. Default: 3000.').optional(),
    throughput: z.int().describe('MiB/s. Default: 125.').optional(),
    kmsKeyID: z.string().describe('Id, alias or ARN of the KMS key that encrypts the volume.').optional(),
  })
  .describe('The data volume of the nodes, which is a gp3 volume.');

const READ_FIELDS = {
  subnetSelectorTerms: subnetTerms,
  securityGroupSelectorTerms: securityGroupTerms,
  capacityReservationSelectorTerms: capacityReservationTerms.optional(),
  role: z.string().min(1).describe('IAM role of the nodes. Excludes instanceProfile.').optional(),
  instanceProfile: z.string().min(1).describe('Instance profile of the nodes. Excludes role.').optional(),
  tags: launchTags.optional(),
  ephemeralStorage: ephemeralStorage.optional(),
  advancedNetworking: z
    .looseObject({
      associatePublicIPAddress: z
        .boolean()
        .describe('Whether nodes get a public IP address. Default: as the subnet is configured.')
        .optional(),
    })
    .describe('Of these only associatePublicIPAddress is read.')
    .optional(),
};

/** Schema of the document. AWS adds fields as it adds features, so that unknown ones are only told. */
export const autoModeNodeClass = z
  .strictObject({
    ...envelope(AUTO_MODE_NODE_CLASS.apiVersion, AUTO_MODE_NODE_CLASS.kind),
    spec: withRule(z.looseObject(READ_FIELDS), checkIdentity).describe('How nodes are launched.'),
  })
  .describe('The node class of EKS Auto Mode; converted to an EC2NodeClass of karpenter.k8s.aws/v1.');

/** The document as users write it. */
export type AutoModeNodeClass = z.input<typeof autoModeNodeClass>;

/** A cluster with Karpenter and EKS Auto Mode may have a node class of one name in both. */
const NAME_PREFIX = 'auto-mode-';

/** Whether an EC2NodeClass was read from a NodeClass of EKS Auto Mode. */
export function isAutoModeClass({ name }: { readonly name: string }): boolean {
  return name.startsWith(NAME_PREFIX);
}

/** An EC2NodeClass with the same network, identity and data volume, and Bottlerocket, which nodes of EKS Auto Mode run a variant of. */
export function nodeClassFromAutoMode({ metadata, spec }: AutoModeNodeClass): EC2NodeClassInput {
  const { size = DEFAULT_STORAGE, iops, throughput, kmsKeyID } = spec.ephemeralStorage ?? {};
  const ebs = compact({
    ...{ volumeSize: size, volumeType: 'gp3' as const, encrypted: true, iops, throughput, kmsKeyID },
  });
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { ...plainMetadata(metadata), name: NAME_PREFIX + metadata.name },
    spec: compact({
      amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
      subnetSelectorTerms: spec.subnetSelectorTerms,
      securityGroupSelectorTerms: spec.securityGroupSelectorTerms,
      capacityReservationSelectorTerms: spec.capacityReservationSelectorTerms,
      role: spec.role,
      instanceProfile: spec.instanceProfile,
      tags: spec.tags,
      associatePublicIPAddress: spec.advancedNetworking?.associatePublicIPAddress,
      blockDeviceMappings: [{ deviceName: DATA_DEVICE, ebs }],
    }),
  };
}

/** Warns of each field that says nothing about an EC2NodeClass. */
export function autoModeNotes({ spec }: AutoModeNodeClass): readonly Finding[] {
  const unread = Object.keys(spec).filter((field) => !(field in READ_FIELDS));
  const networking = Object.keys(spec.advancedNetworking ?? {}).filter(
    (field) => field !== 'associatePublicIPAddress',
  );
  return [
    ...unread.map((field) => ['spec', field]),
    ...networking.map((field) => ['spec', 'advancedNetworking', field]),
  ].map((path) => ({
    code: 'unsupported',
    path,
    text: 'is left out: an EC2NodeClass has no such setting',
    at: 'key' as const,
  }));
}

const TEMPLATE = ['spec', 'template', 'spec'];
const REF = [...TEMPLATE, 'nodeClassRef'];
const REQUIREMENTS = [...TEMPLATE, 'requirements'];

/** A NodePool of EKS Auto Mode names the EC2NodeClass that its NodeClass is read as, and Karpenter's labels. */
export function respellAutoModePool(pool: Rewrite): void {
  const ref = plainObject(pool.get(REF));
  if (ref?.['group'] !== GROUP || ref['kind'] !== AUTO_MODE_NODE_CLASS.kind) return;
  const name = NAME_PREFIX + String(ref['name']);
  pool.set(REF, { ...ref, group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name });
  pool.warn(REF, `names the NodeClass of EKS Auto Mode, which is read as EC2NodeClass ${name}`);
  const requirements = pool.get(REQUIREMENTS);
  if (!Array.isArray(requirements)) return;
  pool.set(
    REQUIREMENTS,
    requirements.map((item: unknown) => {
      const each = plainObject(item);
      const key = each?.['key'];
      return typeof key === 'string' ? { ...each, key: karpenterLabel(key) } : item;
    }),
  );
}

/** The label of Karpenter that says what this one of EKS Auto Mode says; any other label itself. */
function karpenterLabel(key: string): string {
  return LABELS.find(([own]) => own === key)?.[1] ?? key;
}

/** The labels of an instance type, with those by which EKS Auto Mode says the same. */
export function withAutoModeLabels(labels: Labels): Labels {
  const own = LABELS.flatMap(([key, karpenters]): readonly (readonly [string, string])[] => {
    const value = labels.get(karpenters);
    return value === undefined ? [] : [[key, value]];
  });
  return new Map([...labels, ...own, [COMPUTE_TYPE, AUTO]]);
}
