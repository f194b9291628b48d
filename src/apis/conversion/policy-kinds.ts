/** Every kind and version of policy that Berth reads, and how each becomes objects of v1. */
import type * as z from 'zod';
import { isSameList } from '../../domain/values/same.js';
import type { Finding } from '../decode/findings.js';
import type { RenamedField } from '../decode/renamed-field.js';
import type { Rewrite } from '../decode/rewrite.js';
import { compact, plainMetadata } from '../fields/plain-metadata.js';
import type { NodeClassCodec, NodeClassObject, NodeClassVersion } from '../node-class/node-class-codec.js';
import { nodeClassCodecs } from '../node-class/node-class-codecs.js';
import { takeProvider } from '../node-pool/inline-provider.js';
import { respellPool, V1_SPELLING, V1BETA1_SPELLING } from '../node-pool/older-spellings.js';
import { type NodeOverlayInput, nodeOverlayV1Alpha1 } from '../node-overlay/v1alpha1.js';
import { type NodePoolInput, nodePoolV1 } from '../node-pool/v1.js';
import { fromV1Alpha5, type ProvisionerInput, provisionerV1Alpha5 } from '../node-pool/v1alpha5.js';
import { fromV1Beta1, nodePoolV1Beta1 } from '../node-pool/v1beta1.js';
import { type PodDefaultsInput, podDefaultsV1 } from '../pod-defaults/v1.js';

/** A policy in its newest version, as a user would write it. */
export type CurrentObject = NodePoolInput | NodeClassObject | NodeOverlayInput | PodDefaultsInput;

export interface PolicyKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Names that people use for it, in lower case. Older versions of a kind have none. */
  readonly names: readonly string[];
  readonly schema: z.ZodType;
  /** apiVersion and kind that it converts to; undefined for the newest version. */
  readonly becomes: string | undefined;
  /** The product other than Karpenter and Berth that it is of. */
  readonly product: string | undefined;
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
    ...{ becomes: undefined, product: undefined, renamed: [] },
    respell: () => [],
    ...details,
    toCurrent: (value) => toCurrent(value as z.input<T>),
    notes: (value) => notes?.(value as z.input<T>) ?? [],
  };
}

let known: { readonly codecs: readonly NodeClassCodec[]; readonly kinds: readonly PolicyKind[] } | undefined;

/** The newest version of each kind first. Made once, of the kinds of node class that are registered. */
export function policyKinds(): readonly PolicyKind[] {
  const codecs = nodeClassCodecs();
  if (known === undefined || !isSameList(known.codecs, codecs)) known = { codecs, kinds: allKinds(codecs) };
  return known.kinds;
}

function allKinds(codecs: readonly [NodeClassCodec, ...NodeClassCodec[]]): readonly PolicyKind[] {
  const newest = codecs.map((codec) => nodeClassKind(codec, codec.versions[0]));
  const older = codecs.flatMap((codec) =>
    codec.versions.slice(1).map((version) => nodeClassKind(codec, version)),
  );
  return [newestPool(codecs), ...newest, NODE_OVERLAY, POD_DEFAULTS, ...olderPools(codecs), ...older];
}

function nodeClassKind({ group, kind, versions }: NodeClassCodec, version: NodeClassVersion): PolicyKind {
  const [newest] = versions;
  return {
    apiVersion: version.apiVersion,
    kind: version.kind,
    names: version.names ?? [],
    schema: version.schema,
    becomes: version === newest ? undefined : `${kind} of ${newest.apiVersion || group}`,
    product: version.product,
    renamed: version.renamed ?? [],
    respell: (document) => {
      version.respell?.(document);
      return [];
    },
    toCurrent: (value) => [version.toCurrent(value)],
    notes: (value) => version.notes?.(value) ?? [],
  };
}

const NODE_OVERLAY = policyKind({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  names: ['nodeoverlay', 'nodeoverlays', 'overlay', 'overlays'],
  schema: nodeOverlayV1Alpha1,
  toCurrent: ({ apiVersion, kind, metadata, spec }) => [
    { apiVersion, kind, metadata: plainMetadata(metadata), spec },
  ],
});

const POD_DEFAULTS = policyKind({
  apiVersion: 'berth.sh/v1',
  kind: 'PodDefaults',
  names: ['poddefaults', 'pd'],
  schema: podDefaultsV1,
  toCurrent: ({ apiVersion, kind, metadata, spec }) => [
    { apiVersion, kind, metadata: plainMetadata(metadata), spec },
  ],
});

function newestPool(codecs: readonly [NodeClassCodec, ...NodeClassCodec[]]): PolicyKind {
  return policyKind({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    names: ['nodepool', 'nodepools', 'np'],
    schema: nodePoolV1(codecs),
    respell: (pool) => {
      respellPool(pool, V1_SPELLING);
      for (const codec of codecs) codec.respellPool?.(pool);
      return takeProvider(pool, true, codecs[0]);
    },
    toCurrent: ({ apiVersion, kind, metadata, spec, berth }) => [
      compact({ apiVersion, kind, metadata: plainMetadata(metadata), spec, berth }),
    ],
  });
}

function olderPools(codecs: readonly [NodeClassCodec, ...NodeClassCodec[]]): readonly PolicyKind[] {
  const [usual] = codecs;
  return [
    policyKind({
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodePool',
      schema: nodePoolV1Beta1(codecs),
      becomes: 'NodePool of karpenter.sh/v1',
      renamed: NODE_POOL_V1BETA1,
      respell: (pool) => {
        respellPool(pool, V1BETA1_SPELLING);
        return takeProvider(pool, false, usual);
      },
      toCurrent: (value) => [fromV1Beta1(value, codecs)],
    }),
    policyKind({
      apiVersion: 'karpenter.sh/v1alpha5',
      kind: 'Provisioner',
      names: ['provisioner', 'provisioners'],
      schema: provisionerV1Alpha5(usual.inline?.schema),
      becomes: 'NodePool of karpenter.sh/v1',
      renamed: PROVISIONER_V1ALPHA5,
      toCurrent: (value) => fromProvisioner(value, usual),
      notes: ({ spec }) => [
        ...missingProvider(spec),
        ...(spec.provider === undefined
          ? []
          : (usual.inline?.notes(spec.provider, ['spec', 'provider']) ?? [])),
      ],
    }),
  ];
}

/** The node class that a Provisioner which names none is read with. */
const UNNAMED_NODE_CLASS = 'default';

/** A NodePool, and a node class of the same name for what stood in `provider`. */
function fromProvisioner(value: ProvisionerInput, usual: NodeClassCodec): readonly CurrentObject[] {
  const { provider, providerRef } = value.spec;
  const { name } = value.metadata;
  if (provider === undefined || usual.inline === undefined)
    return [fromV1Alpha5(value, { ...usual, name: providerRef?.name ?? UNNAMED_NODE_CLASS })];
  return [fromV1Alpha5(value, { ...usual, name }), usual.inline.toNodeClass(name, provider)];
}

// What the conversion of an older document warns of: fields with other names, and what v1 cannot guess.

const KUBELET = 'spec.kubelet of the node class';

const NODE_POOL_V1BETA1: readonly RenamedField[] = [
  { from: ['spec', 'disruption', 'expireAfter'], to: ['spec', 'template', 'spec', 'expireAfter'] },
  { from: ['spec', 'template', 'spec', 'kubelet'], now: KUBELET },
  {
    from: ['spec', 'template', 'spec', 'nodeClassRef', 'apiVersion'],
    to: ['spec', 'template', 'spec', 'nodeClassRef', 'group'],
  },
];

const PROVISIONER_V1ALPHA5: readonly RenamedField[] = [
  ...['labels', 'annotations'].map((field) => ({
    from: ['spec', field],
    to: ['spec', 'template', 'metadata', field],
  })),
  ...['taints', 'startupTaints', 'requirements'].map((field) => ({
    from: ['spec', field],
    to: ['spec', 'template', 'spec', field],
  })),
  { from: ['spec', 'providerRef'], to: ['spec', 'template', 'spec', 'nodeClassRef'] },
  { from: ['spec', 'provider'], now: 'a node class, named by spec.template.spec.nodeClassRef' },
  { from: ['spec', 'kubeletConfiguration'], now: KUBELET },
  {
    from: ['spec', 'ttlSecondsAfterEmpty'],
    to: ['spec', 'disruption', 'consolidateAfter'],
    now: 'spec.disruption.consolidateAfter with consolidationPolicy WhenEmpty',
  },
  { from: ['spec', 'ttlSecondsUntilExpired'], to: ['spec', 'template', 'spec', 'expireAfter'] },
  { from: ['spec', 'consolidation'], to: ['spec', 'disruption', 'consolidationPolicy'] },
  { from: ['spec', 'limits', 'resources'], to: ['spec', 'limits'] },
];

/** Warns of a Provisioner without a node class. */
function missingProvider(spec: {
  readonly provider?: unknown;
  readonly providerRef?: unknown;
}): readonly Finding[] {
  if (spec.provider !== undefined || spec.providerRef !== undefined) return [];
  return [
    {
      code: 'no-node-class',
      path: ['spec'],
      text: 'has neither provider nor providerRef, which Karpenter rejects; it is read with the node class named default',
    },
  ];
}
