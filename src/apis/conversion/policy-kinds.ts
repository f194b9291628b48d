/** Every kind and version of policy that Berth reads, and how each becomes objects of v1. */
import type * as z from 'zod';
import type { Finding } from '../decode/findings.js';
import type { Rewrite } from '../decode/rewrite.js';
import { respellNodeClass } from '../../clouds/aws/api/older-spellings.js';
import { awsNodeTemplateV1Alpha1, nodeClassFromTemplate } from '../../clouds/aws/api/v1alpha1.js';
import { ec2NodeClassV1Beta1, nodeClassFromV1Beta1 } from '../../clouds/aws/api/v1beta1.js';
import { ec2NodeClassV1, type EC2NodeClassInput } from '../../clouds/aws/api/v1.js';
import { compact, plainMetadata } from '../fields/plain-metadata.js';
import { takeProvider } from '../node-pool/inline-provider.js';
import { respellPool, V1_SPELLING, V1BETA1_SPELLING } from '../node-pool/older-spellings.js';
import { nodeOverlayV1Alpha1, type NodeOverlayInput } from '../node-overlay/v1alpha1.js';
import { nodePoolV1, type NodePoolInput } from '../node-pool/v1.js';
import { fromV1Alpha5, provisionerV1Alpha5, type ProvisionerInput } from '../node-pool/v1alpha5.js';
import { fromV1Beta1, nodePoolV1Beta1 } from '../node-pool/v1beta1.js';
import { podDefaultsV1, type PodDefaultsInput } from '../pod-defaults/v1.js';
import {
  missingProvider,
  missingRole,
  NODE_POOL_V1BETA1,
  NODE_TEMPLATE_V1ALPHA1,
  PROVISIONER_V1ALPHA5,
  type RenamedField,
} from './renamed-fields.js';

/** A policy in its newest version, as a user would write it. */
export type CurrentObject = NodePoolInput | EC2NodeClassInput | NodeOverlayInput | PodDefaultsInput;

export interface PolicyKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Names that people use for it, in lower case. Older versions of a kind have none. */
  readonly names: readonly string[];
  readonly schema: z.ZodType;
  /** apiVersion and kind that it converts to; undefined for the newest version. */
  readonly becomes: string | undefined;
  readonly renamed: readonly RenamedField[];
  /** Replaces older spellings, and gives objects that were written inside this one. */
  respell(document: Rewrite): readonly CurrentObject[];
  /** The same in the newest version. The value has passed the schema. */
  toCurrent(value: unknown): readonly CurrentObject[];
  /** What to warn of in a value that passed the schema. */
  notes(value: unknown): readonly Finding[];
}

type Details<T extends z.ZodType> = Pick<PolicyKind, 'apiVersion' | 'kind' | 'schema'> & {
  readonly schema: T;
  readonly toCurrent: (value: z.input<T>) => readonly CurrentObject[];
  readonly notes?: (value: z.input<T>) => readonly Finding[];
} & Partial<Pick<PolicyKind, 'names' | 'becomes' | 'renamed' | 'respell'>>;

/** Ties the functions of one kind to its schema's type. */
function policyKind<T extends z.ZodType>({ toCurrent, notes, ...details }: Details<T>): PolicyKind {
  return {
    names: [],
    becomes: undefined,
    renamed: [],
    respell: () => [],
    ...details,
    toCurrent: (value) => toCurrent(value as z.input<T>),
    notes: (value) => notes?.(value as z.input<T>) ?? [],
  };
}

/** Newest version of each kind first. */
export const POLICY_KINDS: readonly PolicyKind[] = [
  policyKind({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    names: ['nodepool', 'nodepools', 'np'],
    schema: nodePoolV1,
    respell: (pool) => {
      respellPool(pool, V1_SPELLING);
      return takeProvider(pool, true);
    },
    toCurrent: ({ apiVersion, kind, metadata, spec, berth }) => [
      compact({ apiVersion, kind, metadata: plainMetadata(metadata), spec, berth }),
    ],
  }),
  policyKind({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    names: ['ec2nodeclass', 'ec2nodeclasses', 'ec2nc', 'ec2ncs', 'nodeclass', 'nodeclasses', 'nc'],
    schema: ec2NodeClassV1,
    respell: respelled(respellNodeClass),
    toCurrent: ({ apiVersion, kind, metadata, spec, berth }) => [
      compact({ apiVersion, kind, metadata: plainMetadata(metadata), spec, berth }),
    ],
  }),
  policyKind({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    names: ['nodeoverlay', 'nodeoverlays', 'overlay', 'overlays'],
    schema: nodeOverlayV1Alpha1,
    toCurrent: ({ apiVersion, kind, metadata, spec }) => [
      { apiVersion, kind, metadata: plainMetadata(metadata), spec },
    ],
  }),
  policyKind({
    apiVersion: 'berth.sh/v1',
    kind: 'PodDefaults',
    names: ['poddefaults', 'pd'],
    schema: podDefaultsV1,
    toCurrent: ({ apiVersion, kind, metadata, spec }) => [
      { apiVersion, kind, metadata: plainMetadata(metadata), spec },
    ],
  }),
  policyKind({
    apiVersion: 'karpenter.sh/v1beta1',
    kind: 'NodePool',
    schema: nodePoolV1Beta1,
    becomes: 'NodePool of karpenter.sh/v1',
    renamed: NODE_POOL_V1BETA1,
    respell: (pool) => {
      respellPool(pool, V1BETA1_SPELLING);
      return takeProvider(pool, false);
    },
    toCurrent: (value) => [fromV1Beta1(value)],
  }),
  policyKind({
    apiVersion: 'karpenter.k8s.aws/v1beta1',
    kind: 'EC2NodeClass',
    schema: ec2NodeClassV1Beta1,
    becomes: 'EC2NodeClass of karpenter.k8s.aws/v1',
    respell: respelled(respellNodeClass),
    toCurrent: (value) => [nodeClassFromV1Beta1(value)],
  }),
  policyKind({
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Provisioner',
    names: ['provisioner', 'provisioners'],
    schema: provisionerV1Alpha5,
    becomes: 'NodePool of karpenter.sh/v1',
    renamed: PROVISIONER_V1ALPHA5,
    toCurrent: fromProvisioner,
    notes: ({ spec }) => [
      ...missingProvider(spec),
      ...(spec.provider ? missingRole(spec.provider, ['spec', 'provider']) : []),
    ],
  }),
  policyKind({
    apiVersion: 'karpenter.k8s.aws/v1alpha1',
    kind: 'AWSNodeTemplate',
    names: ['awsnodetemplate', 'awsnodetemplates', 'nodetemplate'],
    schema: awsNodeTemplateV1Alpha1,
    becomes: 'EC2NodeClass of karpenter.k8s.aws/v1',
    renamed: NODE_TEMPLATE_V1ALPHA1,
    toCurrent: ({ metadata, spec }) => [nodeClassFromTemplate(plainMetadata(metadata), spec)],
    notes: ({ spec }) => missingRole(spec, ['spec']),
  }),
];

function respelled(respell: (document: Rewrite) => void): PolicyKind['respell'] {
  return (document) => {
    respell(document);
    return [];
  };
}

/** The node class that a Provisioner which names none is read with. */
const UNNAMED_NODE_CLASS = 'default';

/** A NodePool, and an EC2NodeClass of the same name for what stood in `provider`. */
function fromProvisioner(value: ProvisionerInput): readonly CurrentObject[] {
  const { provider, providerRef } = value.spec;
  const { name } = value.metadata;
  if (provider === undefined) return [fromV1Alpha5(value, providerRef?.name ?? UNNAMED_NODE_CLASS)];
  return [fromV1Alpha5(value, name), nodeClassFromTemplate({ name }, provider)];
}
