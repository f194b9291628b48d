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
import { checkTaintsUnique } from '../fields/taint.js';
import { berthBlock } from './berth-block.js';
import { checkReachable } from './reachable.js';
import { DEFAULT_EXPIRE_AFTER, limits, taintFields, templateMetadata, weight } from './template-fields.js';

export const NODE_CLASS_GROUP = 'karpenter.k8s.aws';
export const NODE_CLASS_KIND = 'EC2NodeClass';

const nodeClassRef = z
  .strictObject({
    group: z.literal(NODE_CLASS_GROUP).describe('API group of the node class.'),
    kind: z.literal(NODE_CLASS_KIND).describe('Kind of the node class.'),
    name: z.string().min(1).describe('Name of the EC2NodeClass.'),
  })
  .describe('The EC2NodeClass that configures how nodes are launched.');
movedFields.add(nodeClassRef, { apiVersion: `group: ${NODE_CLASS_GROUP}` });

const templateSpec = z
  .strictObject({
    ...taintFields,
    requirements: requirementList('v1', REQUIREMENT_OPERATORS),
    nodeClassRef,
    expireAfter: durationOrNever('Age at which a node is replaced, or Never.').default(DEFAULT_EXPIRE_AFTER),
    terminationGracePeriod: duration(
      'Maximum time to drain a node; afterwards pods are deleted regardless of PodDisruptionBudgets and annotations. Default: no maximum.',
    ).optional(),
  })
  .describe('Configuration of the nodes of the pool.');
movedFields.add(templateSpec, { kubelet: 'spec.kubelet of the EC2NodeClass' });

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

const template = z
  .strictObject({ metadata: templateMetadata('v1').optional(), spec: withRule(templateSpec, checkTaintsOf) })
  .superRefine(checkReachable)
  .describe('Template of the nodes of the pool.');

const spec = z
  .strictObject({
    template,
    disruption: disruption.prefault({ consolidateAfter: '0s' }),
    limits: limits.optional(),
    weight: weight.optional(),
    replicas: z
      .int()
      .min(0)
      .describe(
        'Fixed number of nodes of a static pool. Berth does not support static pools yet: a NodePool with this field is refused.',
      )
      .optional(),
  })
  .describe('Template, weight, limits and disruption settings of the pool.');
movedFields.add(spec, {
  requirements: 'spec.template.spec.requirements',
  taints: 'spec.template.spec.taints',
  startupTaints: 'spec.template.spec.startupTaints',
  labels: 'spec.template.metadata.labels',
  annotations: 'spec.template.metadata.annotations',
  nodeClassRef: 'spec.template.spec.nodeClassRef',
  expireAfter: 'spec.template.spec.expireAfter',
  consolidation: 'spec.disruption.consolidationPolicy',
  kubeletConfiguration: 'spec.kubelet of the EC2NodeClass',
});

/** Schema of the document. */
export const nodePoolV1 = z
  .strictObject({
    ...envelope('karpenter.sh/v1', 'NodePool'),
    spec: withRule(spec, checkStatic),
    berth: berthBlock.optional(),
  })
  .describe('Which nodes may be launched for pending pods, and when they are disrupted.');

/** The document as users write it. */
export type NodePoolInput = z.input<typeof nodePoolV1>;
/** The document with defaults. */
export type NodePoolDocument = z.output<typeof nodePoolV1>;

function checkTaintsOf({ taints, startupTaints }: Loose, context: RuleContext): void {
  checkTaintsUnique({ taints, startupTaints }, context);
}

/** Karpenter has static pools; accepting one that nothing scales to its replicas would leave it without nodes. */
function checkStatic({ replicas }: Loose, context: RuleContext): void {
  if (replicas === undefined || replicas === null) return;
  refuse(
    context,
    'is not supported yet: Berth launches no nodes for a static pool. Remove it; nodes are then launched for pods, up to spec.limits',
    { path: ['replicas'], code: 'unsupported', at: 'key' },
  );
}
