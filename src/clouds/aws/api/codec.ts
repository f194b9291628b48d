/** EC2NodeClass as a kind of document: its versions, and what becomes of an object. */
import type * as z from 'zod';
import { compact, plainMetadata } from '../../../apis/fields/plain-metadata.js';
import type { NodeClassCodec, NodeClassObject } from '../../../apis/node-class/node-class-codec.js';
import {
  AUTO_MODE_NODE_CLASS,
  autoModeNodeClass,
  autoModeNotes,
  nodeClassFromAutoMode,
  respellAutoModePool,
  type AutoModeNodeClass,
} from './auto-mode.js';
import { EC2_NODE_CLASS, isEC2NodeClass, toEC2NodeClass } from './ec2-node-class.js';
import { imageFamily } from '../families/families.js';
import { supportedKubelet, warnOfKubelet } from './kubelet.js';
import {
  awsNodeTemplateV1Alpha1,
  inlineNodeTemplate,
  missingRole,
  nodeClassFromTemplate,
  RENAMED,
  type NodeTemplateInput,
} from './v1alpha1.js';
import { ec2NodeClassV1Beta1, nodeClassFromV1Beta1 } from './v1beta1.js';
import { ec2NodeClassV1, familyOf, type EC2NodeClassInput } from './v1.js';
import type { Rewrite } from '../../../apis/decode/rewrite.js';
import {
  amiSelector,
  amiTermsOf,
  resourceSelector,
  securityGroupTermsOf,
  subnetTermsOf,
} from './selector-maps.js';

const GROUP = 'karpenter.k8s.aws';

export const ec2NodeClassCodec: NodeClassCodec = {
  group: GROUP,
  kind: EC2_NODE_CLASS,
  versions: [
    {
      apiVersion: `${GROUP}/v1`,
      kind: EC2_NODE_CLASS,
      names: ['ec2nodeclass', 'ec2nodeclasses', 'ec2nc', 'ec2ncs', 'nodeclass', 'nodeclasses', 'nc'],
      schema: ec2NodeClassV1,
      respell: respellNodeClass,
      toCurrent: (value: unknown): NodeClassObject => {
        const { apiVersion, kind, metadata, spec, berth } = value as EC2NodeClassInput;
        return compact({ apiVersion, kind, metadata: plainMetadata(metadata), spec, berth });
      },
    },
    {
      apiVersion: `${GROUP}/v1beta1`,
      kind: EC2_NODE_CLASS,
      schema: ec2NodeClassV1Beta1,
      respell: respellNodeClass,
      toCurrent: (value) => nodeClassFromV1Beta1(value as z.input<typeof ec2NodeClassV1Beta1>),
    },
    {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'AWSNodeTemplate',
      names: ['awsnodetemplate', 'awsnodetemplates', 'nodetemplate'],
      schema: awsNodeTemplateV1Alpha1,
      renamed: RENAMED,
      toCurrent: (value: unknown): NodeClassObject => {
        const { metadata, spec } = value as NodeTemplateInput;
        return nodeClassFromTemplate(plainMetadata(metadata), spec);
      },
      notes: (value) => missingRole((value as NodeTemplateInput).spec, ['spec']),
    },
    {
      ...AUTO_MODE_NODE_CLASS,
      product: 'EKS Auto Mode',
      schema: autoModeNodeClass,
      toCurrent: (value) => nodeClassFromAutoMode(value as AutoModeNodeClass),
      notes: (value) => autoModeNotes(value as AutoModeNodeClass),
    },
  ],
  decode: (object) => toEC2NodeClass(ec2NodeClassV1.parse(object)),
  warn: (nodeClass, findings) => {
    if (isEC2NodeClass(nodeClass)) warnOfKubelet(nodeClass.spec.kubelet, findings);
  },
  withKubelet,
  inline: {
    schema: inlineNodeTemplate,
    toNodeClass: (name, value) => nodeClassFromTemplate({ name }, value as NodeTemplateInput['spec']),
    notes: (value, path) => missingRole(value as NodeTemplateInput['spec'], path),
  },
  respellPool: respellAutoModePool,
};
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  subnetSelector: { schema: resourceSelector('subnet', ''), termsOf: subnetTermsOf },
  securityGroupSelector: { schema: resourceSelector('sg', ''), termsOf: securityGroupTermsOf },
  amiSelector: { schema: amiSelector, termsOf: amiTermsOf },
};

/** Older versions left settings that nodes of the family do not take out without a word. */
function withKubelet(object: NodeClassObject, kubelet: Readonly<Record<string, unknown>>): NodeClassObject {
  const family = familyOf(object.spec) ?? imageFamily('Custom');
  return { ...object, spec: { ...object.spec, kubelet: supportedKubelet(kubelet, family) } };
}

interface Spelling {
  readonly schema: z.ZodType<Record<string, string>>;
  readonly termsOf: (selector: Record<string, string>) => readonly object[];
}

/** Replaces subnetSelector, securityGroupSelector and amiSelector. What is no selector stays, to be refused. */
function respellNodeClass(nodeClass: Rewrite): void {
  for (const [field, { schema, termsOf }] of Object.entries(SPELLINGS)) {
    const selector = schema.safeParse(nodeClass.get(['spec', field]));
    if (!selector.success) continue;
    const terms = `${field}Terms`;
    if (!nodeClass.replace(['spec', field], ['spec', terms], termsOf(selector.data))) continue;
    nodeClass.warn(
      ['spec', field],
      `is an older spelling: write spec.${terms}, a list of terms such as {tags: {…}} or {id: …}`,
    );
  }
}
