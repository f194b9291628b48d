/** EC2NodeClass of karpenter.k8s.aws/v1. */
import * as z from 'zod';
import { movedFields } from '../../../apis/decode/moved-fields.js';
import { type Loose, refuse, type RuleContext, withRule } from '../../../apis/decode/refuse.js';
import { envelope } from '../../../apis/fields/metadata.js';
import { blockDevicesV1 } from './block-devices.js';
import { kubeletV1 } from '../../../apis/fields/kubelet.js';
import { AMI_FAMILIES, familyOfAlias, imageFamily } from '../families/families.js';
import type { ImageFamily } from '../families/family.js';
import { checkFamilyKubelet } from './kubelet.js';
import {
  checkIdentity,
  identityFields,
  launchFields,
  METADATA_OPTIONS,
  metadataOptionsFields,
} from './node-class-fields.js';
import { networkInterfaces } from './network-interfaces.js';
import {
  amiTerms,
  capacityReservationTerms,
  placementGroupSelector,
  securityGroupTerms,
  subnetTerms,
} from './selector-terms.js';
import { isVolumeSize } from './volume-size.js';

/** The `berth:` block of an EC2NodeClass: all that Berth adds to Karpenter's object. */
const nodeClassBerthBlock = z
  .strictObject({
    apiVersion: z.literal('berth.sh/v1').describe('Version of this block. Default: berth.sh/v1.').optional(),
    maxVolumeSize: z
      .string()
      .refine(isVolumeSize, 'must be a size such as 500Gi or 1Ti, at most 64T')
      .describe(
        'Maximum size of the root volume for pods that request more ephemeral-storage than volumeSize provides. Default: volumeSize, as in Karpenter.',
      )
      .optional(),
  })
  .describe(
    "What Berth adds to Karpenter's EC2NodeClass. Without this block the document is a valid Karpenter object.",
  );

const HOP_LIMIT = 1;
const options = metadataOptionsFields(HOP_LIMIT);

const metadataOptions = z
  .strictObject({
    httpEndpoint: options.httpEndpoint.default('enabled'),
    httpProtocolIPv6: options.httpProtocolIPv6.default('disabled'),
    httpPutResponseHopLimit: options.httpPutResponseHopLimit.default(HOP_LIMIT),
    httpTokens: options.httpTokens.default('required'),
  })
  .describe(METADATA_OPTIONS);

const timeout = (what: string, least: number, most: number): z.ZodOptional<z.ZodInt> =>
  z
    .int()
    .min(least)
    .max(most)
    .describe(
      `Seconds after which ${what} is forgotten, ${String(least)} to ${String(most)}. Default: what EC2 takes.`,
    )
    .optional();

const connectionTracking = withRule(
  z.strictObject({
    tcpEstablishedTimeout: timeout('an idle TCP connection', 60, 432_000),
    udpStreamTimeout: timeout('a UDP stream with answers', 60, 180),
    udpTimeout: timeout('a UDP flow without answers', 30, 60),
  }),
  (value, context) => {
    const fields = ['tcpEstablishedTimeout', 'udpStreamTimeout', 'udpTimeout'];
    if (fields.every((field) => value[field] === undefined))
      refuse(context, `must have one of ${fields.join(', ')}`, { code: 'missing-field', allowed: fields });
  },
).describe('How long security groups remember idle connections of the nodes.');

const cpuOptions = z
  .strictObject({
    nestedVirtualization: z
      .enum(['enabled', 'disabled'])
      .describe('Whether nodes may run virtual machines. Default: disabled.')
      .optional(),
  })
  .describe('CPU options of the instances.');

const enclaveOptions = z
  .strictObject({
    enabled: z
      .boolean()
      .describe(
        'Whether nodes are launched with AWS Nitro Enclaves. Instance types without them are then excluded. Default: false.',
      )
      .optional(),
  })
  .describe('Nitro Enclaves of the nodes.');

const kubelet = kubeletV1.describe(
  'Settings of the kubelet on new nodes. They determine the allocatable resources. Nodes of AL2023 take any other field of KubeletConfiguration, too; other families do not, and Bottlerocket has no podsPerCore.',
);

const spec = z
  .strictObject({
    subnetSelectorTerms: subnetTerms,
    securityGroupSelectorTerms: securityGroupTerms,
    capacityReservationSelectorTerms: capacityReservationTerms.optional(),
    placementGroupSelector: placementGroupSelector.optional(),
    amiSelectorTerms: amiTerms,
    amiFamily: z
      .enum(AMI_FAMILIES)
      .describe(
        'Operating system family: the format of userData and the default disks. Default: that of the alias; needed without one.',
      )
      .optional(),
    ...identityFields,
    ...launchFields,
    ipPrefixCount: z
      .int()
      .min(0)
      .describe(
        'IPv4 prefixes, in IPv6 clusters IPv6 prefixes, that the primary network interface gets at launch. Default: none.',
      )
      .optional(),
    kubelet: kubelet.optional(),
    blockDeviceMappings: blockDevicesV1.optional(),
    networkInterfaces: networkInterfaces.optional(),
    metadataOptions: metadataOptions.prefault({}),
    connectionTracking: connectionTracking.optional(),
    cpuOptions: cpuOptions.optional(),
    enclaveOptions: enclaveOptions.optional(),
  })
  .describe('How nodes are launched.');
movedFields.add(spec, {
  launchTemplate: 'the fields of the EC2NodeClass: own launch templates are not supported',
});

/** Schema of the document. */
export const ec2NodeClassV1 = z
  .strictObject({
    ...envelope('karpenter.k8s.aws/v1', 'EC2NodeClass'),
    spec: withRule(spec, checkSpec),
    berth: nodeClassBerthBlock.optional(),
  })
  .describe('How nodes are launched on EC2: image, network, disks, identity.');

/** The document as users write it. */
export type EC2NodeClassInput = z.input<typeof ec2NodeClassV1>;
/** The document with defaults: all that a launch needs. */
export type EC2NodeClassDocument = z.output<typeof ec2NodeClassV1>;

function checkSpec(value: Loose, context: RuleContext): void {
  checkIdentity(value, context);
  checkFamily(value, context);
  const { kubelet: settings } = value;
  const family = familyOf(value);
  if (family !== undefined && typeof settings === 'object' && settings !== null)
    checkFamilyKubelet(settings as Loose, family, context);
}

/** The family that the class names or that its alias implies; undefined where neither is known. */
export function familyOf({ amiFamily, amiSelectorTerms: terms }: Loose): ImageFamily | undefined {
  const named = AMI_FAMILIES.find((family) => family === amiFamily);
  if (named !== undefined) return imageFamily(named);
  return familyOfAlias((Array.isArray(terms) ? aliasOf(terms) : undefined) ?? '');
}

/** An alias implies its family; another one may not be given, but Custom may. */
function checkFamily({ amiFamily, amiSelectorTerms: terms }: Loose, context: RuleContext): void {
  const alias = Array.isArray(terms) ? aliasOf(terms) : undefined;
  if (alias === undefined) {
    if (amiFamily === undefined && Array.isArray(terms))
      refuse(context, 'is required when amiSelectorTerms have no alias', {
        path: ['amiFamily'],
        code: 'missing-field',
        allowed: AMI_FAMILIES,
      });
    return;
  }
  const family = familyOfAlias(alias)?.name;
  if (amiFamily === undefined || family === undefined || amiFamily === 'Custom' || amiFamily === family)
    return;
  refuse(context, `must be ${family} or Custom with the alias ${alias}`, {
    path: ['amiFamily'],
    code: 'conflict',
    allowed: [family, 'Custom'],
  });
}

function aliasOf(terms: readonly unknown[]): string | undefined {
  for (const term of terms) {
    const alias = typeof term === 'object' && term !== null ? (term as Loose)['alias'] : undefined;
    if (typeof alias === 'string') return alias;
  }
  return undefined;
}
