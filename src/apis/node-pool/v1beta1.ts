/** NodePool of karpenter.sh/v1beta1, and the same pool in v1. */
import * as z from 'zod';
import { withRule, refuse, type Loose, type RuleContext } from '../decode/refuse.js';
import { kubeletV1Beta1 } from '../fields/kubelet.js';
import { budgetListWithoutReasons } from '../fields/budget.js';
import { durationOrNever } from '../fields/duration.js';
import { envelope } from '../fields/metadata.js';
import { OLD_OPERATORS, requirementList } from '../fields/requirement.js';
import { checkTaintsUnique } from '../fields/taint.js';
import { berthBlock } from './berth-block.js';
import { compact, plainMetadata, withKubelet } from '../fields/plain-metadata.js';
import { DEFAULT_EXPIRE_AFTER, limits, taintFields, templateMetadata, weight } from './template-fields.js';
import type { NodeClassRefKind } from '../node-class/node-class-codec.js';
import type { NodePoolInput } from './v1.js';

const templateFields = {
  ...taintFields,
  requirements: requirementList('before-v1', OLD_OPERATORS),
  kubelet: kubeletV1Beta1.optional(),
  resources: z.strictObject({}).describe('Must be empty.').optional(),
};

const disruption = z
  .strictObject({
    consolidationPolicy: z
      .enum(['WhenEmpty', 'WhenUnderutilized'])
      .describe(
        'Which nodes consolidation may remove: only empty nodes, or also nodes whose pods fit on cheaper ones. Default: WhenUnderutilized.',
      )
      .optional(),
    consolidateAfter: durationOrNever(
      'How long a node must be empty before it is removed, or Never. Required with WhenEmpty. Default with WhenUnderutilized: 0s.',
    ).optional(),
    expireAfter: durationOrNever(
      `Age at which a node is replaced, or Never. Default: ${DEFAULT_EXPIRE_AFTER}.`,
    ).optional(),
    budgets: budgetListWithoutReasons().optional(),
  })
  .describe('When nodes may be disrupted voluntarily.');

/** Schema of the document; its node class may be of these kinds, the first one where it names none. */
export function nodePoolV1Beta1(refs: Refs): ReturnType<typeof schemaFor> {
  return schemaFor(refs);
}

function schemaFor(refs: Refs) {
  const groups = refs.map(({ group }) => group);
  const nodeClassRef = z
    .strictObject({
      apiVersion: z
        .string()
        .refine((text) => groups.includes(groupOf(text)), `must be of group ${groups.join(' or ')}`)
        .describe(`API version of the node class. Default: that of ${refs[0].kind}.`)
        .optional(),
      kind: z
        .literal(refs.map(({ kind }) => kind))
        .describe(`Kind of the node class. Default: ${refs[0].kind}.`)
        .optional(),
      name: z.string().min(1).describe('Name of the node class.'),
    })
    .describe('The node class that configures how nodes are launched.');
  const templateSpec = z
    .strictObject({ ...templateFields, nodeClassRef })
    .describe('Configuration of the nodes of the pool.');
  return z
    .strictObject({
      ...envelope('karpenter.sh/v1beta1', 'NodePool'),
      spec: z
        .strictObject({
          template: z
            .strictObject({
              metadata: templateMetadata('before-v1').optional(),
              spec: withRule(templateSpec, checkTaintsOf),
            })
            .describe('Template of the nodes of the pool.'),
          disruption: withRule(disruption, checkConsolidation).optional(),
          limits: limits.optional(),
          weight: weight.optional(),
        })
        .describe('Template, weight, limits and disruption settings of the pool.'),
      berth: berthBlock.optional(),
    })
    .describe('NodePool before v1; converted to a NodePool of v1.');
}

type NodePoolV1Beta1 = z.input<ReturnType<typeof nodePoolV1Beta1>>;
type Refs = readonly [NodeClassRefKind, ...NodeClassRefKind[]];

/** Of an apiVersion, which may be the group alone. */
function groupOf(apiVersion: string): string {
  return apiVersion.split('/')[0] ?? '';
}

function checkTaintsOf({ taints, startupTaints }: Loose, context: RuleContext): void {
  checkTaintsUnique({ taints, startupTaints }, context);
}

function checkConsolidation({ consolidationPolicy, consolidateAfter }: Loose, context: RuleContext): void {
  if (consolidationPolicy !== 'WhenEmpty' || consolidateAfter !== undefined) return;
  refuse(context, 'is required with consolidationPolicy WhenEmpty', {
    path: ['consolidateAfter'],
    code: 'missing-field',
  });
}

/** The same pool in v1. A kubelet, which v1 has in the node class, is kept as Karpenter's own annotation. */
export function fromV1Beta1({ metadata, spec, berth }: NodePoolV1Beta1, refs: Refs): NodePoolInput {
  const { kubelet, nodeClassRef: ref, taints, startupTaints, requirements } = spec.template.spec;
  const expireAfter = spec.disruption?.expireAfter;
  const named = refs.find((each) => each.kind === ref.kind || each.group === groupOf(ref.apiVersion ?? ''));
  const { group, kind } = named ?? refs[0];
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: withKubelet(plainMetadata(metadata), kubelet),
    spec: compact({
      template: compact({
        metadata: spec.template.metadata,
        spec: compact({
          taints,
          startupTaints,
          requirements,
          nodeClassRef: { group, kind, name: ref.name },
          expireAfter: expireAfter === DEFAULT_EXPIRE_AFTER ? undefined : expireAfter,
        }),
      }),
      disruption: disruptionOf(spec.disruption),
      limits: spec.limits,
      weight: spec.weight,
    }),
    ...(berth && { berth }),
  };
}

/** undefined where v1's defaults say the same. */
function disruptionOf(given: NodePoolV1Beta1['spec']['disruption']): NodePoolInput['spec']['disruption'] {
  const { consolidationPolicy: policy, consolidateAfter, budgets } = given ?? {};
  if (policy !== 'WhenEmpty' && consolidateAfter === undefined && budgets === undefined) return undefined;
  return compact({
    consolidationPolicy: policy === 'WhenEmpty' ? policy : undefined,
    consolidateAfter: consolidateAfter ?? '0s',
    budgets,
  });
}
