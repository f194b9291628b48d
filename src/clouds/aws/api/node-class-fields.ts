/** Fields that node classes of several API versions have. */
import * as z from 'zod';
import { refuse, type Loose, type RuleContext } from '../../../apis/decode/refuse.js';

const SWITCH = ['enabled', 'disabled'] as const;
const MOST_HOPS = 64;

type Switch = z.ZodEnum<{ enabled: 'enabled'; disabled: 'disabled' }>;

/** Fields of metadataOptions. */
export interface MetadataOptionsFields extends z.core.$ZodLooseShape {
  readonly httpEndpoint: Switch;
  readonly httpProtocolIPv6: Switch;
  readonly httpPutResponseHopLimit: z.ZodInt;
  readonly httpTokens: z.ZodEnum<{ required: 'required'; optional: 'optional' }>;
}

/** Instance metadata options; the defaults differ between versions in the hop limit alone. */
export function metadataOptionsFields(hops: number): MetadataOptionsFields {
  return {
    httpEndpoint: z
      .enum(SWITCH)
      .describe('Whether the instance metadata service is available. Default: enabled.'),
    httpProtocolIPv6: z
      .enum(SWITCH)
      .describe('Whether the instance metadata service is available over IPv6. Default: disabled.'),
    httpPutResponseHopLimit: z
      .int()
      .min(1)
      .max(MOST_HOPS)
      .describe(
        `Network hop limit of responses, 1 to 64; 1 blocks access from pods that do not use the host network. Default: ${String(hops)}.`,
      ),
    httpTokens: z
      .enum(['required', 'optional'])
      .describe('Whether a session token (IMDSv2) is needed. Default: required.'),
  };
}

/** What the options are for. */
export const METADATA_OPTIONS = 'Options of the instance metadata service of the nodes.';

const RESTRICTED_TAGS = [
  'karpenter.sh/nodepool',
  'karpenter.sh/nodeclaim',
  'karpenter.k8s.aws/ec2nodeclass',
  'eks:eks-cluster-name',
];
const RESTRICTED_PREFIXES = ['kubernetes.io/cluster', 'berth.sh/'];

/** Tags of what is launched, without those that Karpenter or Berth set themselves. */
export const launchTags = z
  .record(z.string(), z.string())
  .superRefine((value, context) => {
    for (const key of Object.keys(value)) {
      if (key === '') refuse(context, 'must not be empty', { path: [key], at: 'key' });
      const isRestricted =
        RESTRICTED_TAGS.includes(key) || RESTRICTED_PREFIXES.some((prefix) => key.startsWith(prefix));
      if (isRestricted)
        refuse(context, 'is restricted: this tag is set by the controller', {
          path: [key],
          code: 'restricted-tag',
          at: 'key',
        });
    }
  })
  .describe(
    'Tags of the instances, volumes, network interfaces and launch templates. Default: only those that the controller sets.',
  );

/** Fields with one meaning in all versions. */
export const launchFields = {
  userData: z
    .string()
    .describe(
      'User data in the format of the AMI family; it is merged with what a node needs to join the cluster (with amiFamily Custom it is used as it is).',
    )
    .optional(),
  tags: launchTags.optional(),
  context: z.string().describe('Reserved field of EC2, passed to CreateFleet unchanged.').optional(),
  detailedMonitoring: z
    .boolean()
    .describe('Whether CloudWatch gets metrics each minute. Default: false.')
    .optional(),
};

/** Fields that came with v1beta1. */
export const identityFields = {
  role: z
    .string()
    .min(1)
    .describe(
      'IAM role of the nodes; an instance profile is created for it. Excludes instanceProfile; one of the two is required.',
    )
    .optional(),
  instanceProfile: z
    .string()
    .min(1)
    .describe(
      'Instance profile of the nodes, which must contain a role. Excludes role; one of the two is required.',
    )
    .optional(),
  associatePublicIPAddress: z
    .boolean()
    .describe('Whether nodes get a public IP address. Default: as the subnet is configured.')
    .optional(),
  instanceStorePolicy: z
    .enum(['RAID0'])
    .describe(
      'RAID0: local NVMe disks become one array that holds kubelet and containers. Default: local disks are left alone.',
    )
    .optional(),
};

/** Reports a node class with neither a role nor an instance profile, or both. */
export function checkIdentity({ role, instanceProfile }: Loose, context: RuleContext): void {
  if ((role === undefined) !== (instanceProfile === undefined)) return;
  const text = 'must have exactly one of role and instanceProfile';
  if (role === undefined)
    refuse(context, text, { code: 'missing-field', allowed: ['role', 'instanceProfile'] });
  else
    refuse(context, `cannot be combined with role: the spec ${text}`, {
      path: ['instanceProfile'],
      code: 'conflict',
      at: 'key',
    });
}
