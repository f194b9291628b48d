/** AWSNodeTemplate of karpenter.k8s.aws/v1alpha1 (also the `provider` of a Provisioner), and the same as an EC2NodeClass. */
import * as z from 'zod';
import type { Finding } from '../../../apis/decode/findings.js';
import type { RenamedField } from '../../../apis/decode/renamed-field.js';
import { refuse, withRule, type Loose, type RuleContext } from '../../../apis/decode/refuse.js';
import type { DocumentPath } from '../../../apis/issue.js';
import { envelope } from '../../../apis/fields/metadata.js';
import { compact, plainMetadata, type PlainMetadata } from '../../../apis/fields/plain-metadata.js';
import { blockDevicesV1Alpha1 } from './block-devices.js';
import { launchFields, METADATA_OPTIONS, metadataOptionsFields } from './node-class-fields.js';
import { amiOf, HOP_LIMIT_BEFORE_V1, OLD_AMI_FAMILIES, withHopLimit } from './old-defaults.js';
import {
  amiSelector,
  amiTermsOf,
  resourceSelector,
  securityGroupTermsOf,
  subnetTermsOf,
} from './selector-maps.js';
import type { EC2NodeClassInput } from './v1.js';
import { toVolumeSize } from './volume-size.js';

const { context, tags, userData, detailedMonitoring } = launchFields;

const inline = {
  apiVersion: z.string().describe('Ignored.').optional(),
  kind: z.string().describe('Ignored.').optional(),
  amiFamily: z
    .enum(OLD_AMI_FAMILIES)
    .describe('Operating system family: the format of userData, the default AMI and disks. Default: AL2.')
    .optional(),
  context,
  instanceProfile: z
    .string()
    .min(1)
    .describe(
      "Instance profile of the nodes. Default: that of Karpenter's global settings, which Berth does not have.",
    )
    .optional(),
  subnetSelector: resourceSelector('subnet', 'subnets that nodes may start in'),
  securityGroupSelector: resourceSelector('sg', 'security groups of the nodes').optional(),
  tags,
  launchTemplate: z
    .string()
    .describe('Not supported: the launch template of the nodes is made by the controller.')
    .optional(),
  metadataOptions: z
    .strictObject(metadataOptionsFields(HOP_LIMIT_BEFORE_V1))
    .partial()
    .describe(METADATA_OPTIONS)
    .optional(),
  blockDeviceMappings: blockDevicesV1Alpha1.optional(),
};

/** Fields of a Provisioner's `provider`, and those of an AWSNodeTemplate. */
const nodeTemplateFields = {
  inline,
  spec: { ...inline, userData, amiSelector: amiSelector.optional(), detailedMonitoring },
};

/** Schema of the document. */
export const awsNodeTemplateV1Alpha1 = z
  .strictObject({
    ...envelope('karpenter.k8s.aws/v1alpha1', 'AWSNodeTemplate'),
    spec: withRule(z.strictObject(nodeTemplateFields.spec), checkNodeTemplate).describe(
      'How nodes are launched.',
    ),
  })
  .describe('The oldest version of EC2NodeClass; converted to an EC2NodeClass of v1.');

/** The document as users write it. */
export type NodeTemplateInput = z.input<typeof awsNodeTemplateV1Alpha1>;

/** Rules over the fields of a node template. */
function checkNodeTemplate(value: Loose, context: RuleContext): void {
  if (value['launchTemplate'] !== undefined) {
    const text =
      'is not supported, as in Karpenter since v0.32: write image, disks and userData into the node class instead';
    refuse(context, text, { path: ['launchTemplate'], code: 'unsupported', at: 'key' });
  } else if (value['securityGroupSelector'] === undefined) {
    refuse(context, 'is required', { path: ['securityGroupSelector'], code: 'missing-field' });
  }
  const family = value['amiFamily'];
  if ((family === 'Custom' || family === 'Ubuntu') && value['amiSelector'] === undefined) {
    refuse(context, `is required when amiFamily is ${family}`, {
      path: ['amiSelector'],
      code: 'missing-field',
    });
  }
}

/** Stands where v1 needs a role and a node template had none. */
const ROLE_TO_FILL_IN = 'REPLACE_WITH_NODE_ROLE';

/** The same node class in v1, under the metadata given. */
export function nodeClassFromTemplate(
  metadata: PlainMetadata,
  given: NodeTemplateInput['spec'],
): EC2NodeClassInput {
  const disks = given.blockDeviceMappings?.map(({ deviceName, ebs }) => ({
    deviceName,
    ebs:
      ebs.volumeSize === undefined
        ? { ...ebs, volumeSize: undefined }
        : { ...ebs, volumeSize: toVolumeSize(ebs.volumeSize) },
  }));
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: plainMetadata(metadata),
    spec: compact({
      subnetSelectorTerms: subnetTermsOf(given.subnetSelector),
      securityGroupSelectorTerms: securityGroupTermsOf(given.securityGroupSelector ?? {}),
      ...amiOf(given.amiFamily ?? 'AL2', amiTermsOf(given.amiSelector ?? {}), disks),
      ...(given.instanceProfile === undefined
        ? { role: ROLE_TO_FILL_IN }
        : { instanceProfile: given.instanceProfile }),
      userData: given.userData,
      tags: given.tags,
      context: given.context,
      detailedMonitoring: given.detailedMonitoring,
      metadataOptions: withHopLimit(given.metadataOptions),
    }),
  };
}

/** Where v1 has the selectors. */
export const RENAMED: readonly RenamedField[] = [
  'subnetSelector',
  'securityGroupSelector',
  'amiSelector',
].map((field) => ({ from: ['spec', field], to: ['spec', `${field}Terms`] }));

/** The `provider` of a Provisioner. */
export const inlineNodeTemplate = withRule(z.strictObject(nodeTemplateFields.inline), checkNodeTemplate);

/** Warns of a node template whose instance profile came from settings that Berth does not have. */
export function missingRole(
  spec: { readonly instanceProfile?: unknown },
  path: DocumentPath,
): readonly Finding[] {
  if (spec.instanceProfile !== undefined) return [];
  return [
    {
      code: 'no-role',
      path,
      text: `has no instanceProfile, and Karpenter's global default is unknown: the EC2NodeClass gets role ${ROLE_TO_FILL_IN}, to be filled in before a launch`,
    },
  ];
}
