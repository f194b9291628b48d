/** EC2NodeClass of karpenter.k8s.aws/v1beta1, and the same in v1. */
import * as z from 'zod';
import { refuse, withRule, type Loose, type RuleContext } from '../../../apis/decode/refuse.js';
import { envelope } from '../../../apis/fields/metadata.js';
import { compact, plainMetadata } from '../../../apis/fields/plain-metadata.js';
import { blockDevicesV1 } from './block-devices.js';
import {
  checkIdentity,
  identityFields,
  launchFields,
  METADATA_OPTIONS,
  metadataOptionsFields,
} from './node-class-fields.js';
import { amiOf, HOP_LIMIT_BEFORE_V1, OLD_AMI_FAMILIES, withHopLimit } from './old-defaults.js';
import { amiTermsV1Beta1, securityGroupTerms, subnetTerms } from './selector-terms.js';
import type { EC2NodeClassInput } from './v1.js';

const options = metadataOptionsFields(HOP_LIMIT_BEFORE_V1);

const spec = z
  .strictObject({
    subnetSelectorTerms: subnetTerms,
    securityGroupSelectorTerms: securityGroupTerms,
    amiSelectorTerms: amiTermsV1Beta1.optional(),
    amiFamily: z
      .enum(OLD_AMI_FAMILIES)
      .describe('Operating system family: the format of userData, the default AMI and disks.'),
    ...identityFields,
    ...launchFields,
    blockDeviceMappings: blockDevicesV1.optional(),
    metadataOptions: z.strictObject(options).partial().describe(METADATA_OPTIONS).optional(),
  })
  .describe('How nodes are launched.');

/** Schema of the document. */
export const ec2NodeClassV1Beta1 = z
  .strictObject({ ...envelope('karpenter.k8s.aws/v1beta1', 'EC2NodeClass'), spec: withRule(spec, checkSpec) })
  .describe('EC2NodeClass before v1; converted to an EC2NodeClass of v1.');

function checkSpec(value: Loose, context: RuleContext): void {
  checkIdentity(value, context);
  checkOldFamily(value['amiFamily'], value['amiSelectorTerms'], context);
}

/** Custom and Ubuntu have no AMI that Berth could look up. */
function checkOldFamily(family: unknown, terms: unknown, context: RuleContext): void {
  const isEmpty = terms === undefined || (Array.isArray(terms) && terms.length === 0);
  if (!isEmpty || (family !== 'Custom' && family !== 'Ubuntu')) return;
  refuse(context, `is required when amiFamily is ${family}`, {
    path: ['amiSelectorTerms'],
    code: 'missing-field',
  });
}

/** The same node class in v1. */
export function nodeClassFromV1Beta1({
  metadata,
  spec: given,
}: z.input<typeof ec2NodeClassV1Beta1>): EC2NodeClassInput {
  const { amiFamily, amiSelectorTerms, blockDeviceMappings, metadataOptions, ...kept } = given;
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: plainMetadata(metadata),
    spec: compact({
      ...kept,
      ...amiOf(amiFamily, amiSelectorTerms ?? [], blockDeviceMappings),
      metadataOptions: withHopLimit(metadataOptions),
    }),
  };
}
