/** NodePool of karpenter.sh/v1. */
import * as z from 'zod';
import { REQUIREMENT_OPERATORS } from '../../domain/values/requirement.js';
import { CONSOLIDATION_POLICIES } from '../../domain/policies/node-pool.js';
import { movedFields } from '../decode/moved-fields.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { budgetList, DEFAULT_NODES } from '../fields/budget.js';
import { duration, durationOrNever } from '../fields/duration.js';
import { envelope } from '../fields/metadata.js';
import { requirementList } from '../fields/requirement.js';
import type { NodeClassRefKind } from '../node-class/node-class-codec.js';
import { checkTaintsUnique } from '../fields/taint.js';
import { berthBlock } from './berth-block.js';
import { checkReachable } from './reachable.js';
import { DEFAULT_EXPIRE_AFTER, limits, taintFields, templateMetadata, weight } from './template-fields.js';

const templateFields = {
  ...taintFields,
  requirements: requirementList('v1', REQUIREMENT_OPERATORS),
  expireAfter: durationOrNever('Age at which a node is replaced, or Never.').default(DEFAULT_EXPIRE_AFTER),
  terminationGracePeriod: duration(
    'Maximum time to drain a node; afterwards pods are deleted regardless of PodDisruptionBudgets and annotations. Default: no maximum.',
  ).optional(),
};

const disruption = z
  .strictObject({
    consolidateAfter: durationOrNever(
      'How long no pod may have been added to or removed from a node before it is considered for consolidation, or Never to disable consolidation.',
    ),
    consolidationPolicy: z
      .enum(CONSOLIDATION_POLICIES)
      .default('WhenEmptyOrUnderutilized')
      .describe(
        'Which nodes consolidation may remove. WhenEmpty: nodes without pods. WhenEmptyOrUnderutilized: also nodes whose pods fit on cheaper ones. Balanced: nodes whose saving is worth the disruption.',
      ),
    budgets: budgetList().default([{ nodes: DEFAULT_NODES }]),
  })
  .describe('When nodes may be disrupted voluntarily.');
movedFields.add(disruption, { expireAfter: 'spec.template.spec.expireAfter' });

const poolFields = {
  disruption: disruption.prefault({ consolidateAfter: '0s' }),
  limits: limits.optional(),
  weight: weight.optional(),
  replicas: z
    .int()
    .min(0)
    .describe(
      'Fixed number of nodes: makes the pool static. It has so many nodes whether pods need them or not, and launches none for pods. A static pool has no weight, and no limits but nodes; its nodes are not consolidated. The field cannot be added to or removed from an accepted NodePool.',
    )
    .optional(),
};

/** Where v1 has what older versions had elsewhere. */
const MOVED = {
  requirements: 'spec.template.spec.requirements',
  taints: 'spec.template.spec.taints',
  startupTaints: 'spec.template.spec.startupTaints',
  labels: 'spec.template.metadata.labels',
  annotations: 'spec.template.metadata.annotations',
  nodeClassRef: 'spec.template.spec.nodeClassRef',
  expireAfter: 'spec.template.spec.expireAfter',
  consolidation: 'spec.disruption.consolidationPolicy',
  kubeletConfiguration: 'spec.kubelet of the node class',
};

/** The document as users write it. */
export type NodePoolInput = z.input<ReturnType<typeof makeNodePoolV1>>;
/** The document with defaults. */
export type NodePoolDocument = z.output<ReturnType<typeof makeNodePoolV1>>;

const made = new WeakMap<
  NodeClassRefKind,
  { readonly size: number; readonly schema: ReturnType<typeof makeNodePoolV1> }
>();

/** Schema of the document; its node class may be of these kinds. */
export function nodePoolV1(
  refs: readonly [NodeClassRefKind, ...NodeClassRefKind[]],
): ReturnType<typeof makeNodePoolV1> {
  const known = made.get(refs[0]);
  if (known?.size === refs.length) return known.schema;
  const schema = makeNodePoolV1(refs);
  made.set(refs[0], { size: refs.length, schema });
  return schema;
}

function makeNodePoolV1(refs: readonly [NodeClassRefKind, ...NodeClassRefKind[]]) {
  const groups = refs.map(({ group }) => group);
  const kinds = refs.map(({ kind }) => kind);
  const nodeClassRef = z
    .strictObject({
      group: z.literal(groups).describe('API group of the node class.'),
      kind: z.literal(kinds).describe('Kind of the node class.'),
      name: z.string().min(1).describe('Name of the node class.'),
    })
    .describe('The node class that configures how nodes are launched.');
  movedFields.add(nodeClassRef, { apiVersion: `group: ${groups.join(' or ')}` });
  const templateSpec = z
    .strictObject({ ...templateFields, nodeClassRef: withRule(nodeClassRef, checkRef(refs)) })
    .describe('Configuration of the nodes of the pool.');
  movedFields.add(templateSpec, { kubelet: 'spec.kubelet of the node class' });
  const template = z
    .strictObject({
      metadata: templateMetadata('v1').optional(),
      spec: withRule(templateSpec, checkTaintsOf),
    })
    .superRefine(checkReachable)
    .describe('Template of the nodes of the pool.');
  const spec = z
    .strictObject({ template, ...poolFields })
    .describe('Template, weight, limits and disruption settings of the pool.');
  movedFields.add(spec, MOVED);
  const document = z
    .strictObject({
      ...envelope('karpenter.sh/v1', 'NodePool'),
      spec: withRule(spec, checkStatic),
      berth: berthBlock.optional(),
    })
    .describe('Which nodes may be launched for pending pods, and when they are disrupted.');
  return withRule(document, checkMinimum);
}

/** A static pool has its number of nodes already. */
function checkMinimum({ spec, berth }: Loose, context: RuleContext): void {
  const isGiven = (block: unknown, field: string): boolean =>
    typeof block === 'object' && block !== null && (block as Loose)[field] !== undefined;
  if (isGiven(spec, 'replicas') && isGiven(berth, 'minimumNodes'))
    refuse(context, 'is not supported on a static NodePool, one with spec.replicas; remove one of them', {
      path: ['berth', 'minimumNodes'],
      code: 'unsupported',
      at: 'key',
    });
}

/** Refuses a kind of another group. */
function checkRef(refs: readonly NodeClassRefKind[]) {
  return ({ group, kind }: Loose, context: RuleContext): void => {
    const known = refs.find((ref) => ref.kind === kind);
    if (known === undefined || known.group === group || !refs.some((ref) => ref.group === group)) return;
    refuse(context, `must be ${known.group} for ${known.kind}, not ${String(group)}`, {
      path: ['group'],
      allowed: [known.group],
    });
  };
}

function checkTaintsOf({ taints, startupTaints }: Loose, context: RuleContext): void {
  checkTaintsUnique({ taints, startupTaints }, context);
}

/** What a static pool cannot have, as in Karpenter: what decides between pools, or about nodes for pods. */
function checkStatic({ replicas, weight: ownWeight, limits: ownLimits }: Loose, context: RuleContext): void {
  if (replicas === undefined || replicas === null) return;
  if (ownWeight !== undefined && ownWeight !== null)
    refuse(context, 'is not supported on a static NodePool, one with spec.replicas; remove it', {
      path: ['weight'],
      code: 'unsupported',
      at: 'key',
    });
  if (typeof ownLimits !== 'object' || ownLimits === null) return;
  for (const resource of Object.keys(ownLimits).filter((name) => name !== 'nodes'))
    refuse(
      context,
      'is not supported on a static NodePool, one with spec.replicas: its only limit is nodes; remove it',
      { path: ['limits', resource], code: 'unsupported', at: 'key' },
    );
}
