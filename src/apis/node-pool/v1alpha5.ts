/** Provisioner of karpenter.sh/v1alpha5, and the same pool in v1. */
import * as z from 'zod';
import { ARCH, canonicalLabel, CAPACITY_TYPE, OS } from '../../domain/values/labels.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { kubeletV1Alpha5 } from '../fields/kubelet.js';
import { amounts } from '../fields/amount.js';
import { formatDuration, NEVER } from '../fields/duration.js';
import { annotations, nodeLabels } from '../fields/label-map.js';
import { envelope } from '../fields/metadata.js';
import { OLD_OPERATORS, requirementList, type RequirementDocument } from '../fields/requirement.js';
import { checkTaintsUnique } from '../fields/taint.js';
import { berthBlock } from './berth-block.js';
import { compact, plainMetadata, withKubelet } from '../fields/plain-metadata.js';
import { taintFields, weight } from './template-fields.js';
import type { NodeClassRefKind } from '../node-class/node-class-codec.js';
import type { NodePoolInput } from './v1.js';

const seconds = (description: string): z.ZodType<number, number> => z.int().min(0).describe(description);

const fields = {
  annotations: annotations('Annotations of every node.').optional(),
  labels: nodeLabels('before-v1', 'Labels of every node.').optional(),
  ...taintFields,
  requirements: requirementList('before-v1', OLD_OPERATORS).optional(),
  kubeletConfiguration: kubeletV1Alpha5.optional(),
  providerRef: z
    .strictObject({
      apiVersion: z.string().describe('API version of the node template.').optional(),
      kind: z.string().describe('Kind of the node template.').optional(),
      name: z.string().min(1).describe('Name of the node template.'),
    })
    .describe('The node template that configures how nodes are launched; excludes provider.')
    .optional(),
  ttlSecondsAfterEmpty: seconds(
    'Seconds after which an empty node is removed; excludes consolidation. Default: empty nodes are kept.',
  ).optional(),
  ttlSecondsUntilExpired: seconds('Age in seconds at which a node is replaced. Default: never.').optional(),
  limits: z
    .strictObject({
      resources: amounts('Maximum total of all nodes of the pool, per resource.').optional(),
    })
    .describe('Limits of the pool. Default: none.')
    .optional(),
  weight: weight.optional(),
  consolidation: z
    .strictObject({
      enabled: z
        .boolean()
        .describe('Whether consolidation replaces nodes by cheaper ones. Default: false.')
        .optional(),
    })
    .describe('Consolidation of nodes; excludes ttlSecondsAfterEmpty.')
    .optional(),
};

/** Schema of the document; `provider` is what its node class may be written as inside of it, undefined: not at all. */
export function provisionerV1Alpha5(provider: z.ZodType = z.never()): ReturnType<typeof schemaWith> {
  return schemaWith(provider);
}

function schemaWith(provider: z.ZodType) {
  const spec = z.strictObject({
    ...fields,
    provider: provider
      .describe(
        'How nodes are launched, inside the Provisioner; excludes providerRef. Becomes a node class of the same name.',
      )
      .optional(),
  });
  return z
    .strictObject({
      ...envelope('karpenter.sh/v1alpha5', 'Provisioner'),
      spec: withRule(spec, checkProvisioner).describe(
        'Requirements, limits and disruption settings of the pool.',
      ),
      berth: berthBlock.optional(),
    })
    .describe(
      'The oldest version of NodePool; converted to a NodePool of v1 with the defaults of a Provisioner: linux, amd64, on-demand, families c, m and r above generation 2.',
    );
}

/** The document as users write it. */
export type ProvisionerInput = z.input<ReturnType<typeof provisionerV1Alpha5>>;

function checkProvisioner(value: Loose, context: RuleContext): void {
  const { taints, startupTaints, provider, providerRef, ttlSecondsAfterEmpty, consolidation } = value;
  checkTaintsUnique({ taints, startupTaints }, context);
  if (provider !== undefined && providerRef !== undefined)
    refuse(context, 'cannot be combined with providerRef', {
      path: ['provider'],
      code: 'conflict',
      at: 'key',
    });
  const isConsolidating = (consolidation as Loose | undefined)?.['enabled'] === true;
  if (isConsolidating && ttlSecondsAfterEmpty !== undefined) {
    refuse(context, 'cannot be combined with consolidation.enabled', {
      path: ['ttlSecondsAfterEmpty'],
      code: 'conflict',
      at: 'key',
    });
  }
}

/** The same pool in v1, which launches with this node class. */
export function fromV1Alpha5(
  { metadata, spec: given, berth }: ProvisionerInput,
  { group, kind, name }: NodeClassRefKind & { readonly name: string },
): NodePoolInput {
  const { labels, annotations: notes, taints, startupTaints, weight: rank } = given;
  const expires = given.ttlSecondsUntilExpired;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: withKubelet(plainMetadata(metadata), kubeletOf(given.kubeletConfiguration)),
    spec: compact({
      template: compact({
        metadata: labels || notes ? compact({ labels, annotations: notes }) : undefined,
        spec: compact({
          taints,
          startupTaints,
          requirements: withDefaults(given.requirements ?? []),
          nodeClassRef: { group, kind, name },
          expireAfter: expires === undefined ? NEVER : formatDuration(expires),
        }),
      }),
      disruption: disruptionOf(given),
      limits: given.limits?.resources,
      weight: rank,
    }),
    ...(berth && { berth }),
  };
}

function disruptionOf({
  ttlSecondsAfterEmpty,
  consolidation,
}: ProvisionerInput['spec']): NodePoolInput['spec']['disruption'] {
  if (consolidation?.enabled === true)
    return { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' };
  const consolidateAfter = ttlSecondsAfterEmpty === undefined ? NEVER : formatDuration(ttlSecondsAfterEmpty);
  return { consolidationPolicy: 'WhenEmpty', consolidateAfter };
}

/** Amounts as text, and without the container runtime, of which only containerd is left. */
function kubeletOf(kubelet: ProvisionerInput['spec']['kubeletConfiguration']): object | undefined {
  if (kubelet === undefined) return undefined;
  const { systemReserved, kubeReserved, ...rest } = kubelet;
  return compact({
    ...rest,
    containerRuntime: undefined,
    systemReserved: textOf(systemReserved),
    kubeReserved: textOf(kubeReserved),
  });
}

function textOf(
  reserved: Readonly<Record<string, string | number>> | undefined,
): Record<string, string> | undefined {
  return (
    reserved && Object.fromEntries(Object.entries(reserved).map(([name, amount]) => [name, String(amount)]))
  );
}

const TYPE_KEYS = [
  'node.kubernetes.io/instance-type',
  'karpenter.k8s.aws/instance-family',
  'karpenter.k8s.aws/instance-category',
  'karpenter.k8s.aws/instance-generation',
];

/** The requirements that Karpenter's webhook added to a Provisioner which said nothing about a label. */
function withDefaults(requirements: readonly RequirementDocument[]): RequirementDocument[] {
  const named = new Set(requirements.map((item) => canonicalLabel(item.key)));
  const oneOf = (key: string, values: string[]): RequirementDocument => ({ key, operator: 'In', values });
  const added = [oneOf(OS, ['linux']), oneOf(ARCH, ['amd64']), oneOf(CAPACITY_TYPE, ['on-demand'])].filter(
    (item) => !named.has(item.key),
  );
  if (!TYPE_KEYS.some((key) => named.has(key))) {
    added.push(oneOf('karpenter.k8s.aws/instance-category', ['c', 'm', 'r']), {
      key: 'karpenter.k8s.aws/instance-generation',
      operator: 'Gt',
      values: ['2'],
    });
  }
  return [...requirements, ...added];
}
