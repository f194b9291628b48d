/** NodePool of karpenter.sh/v1. */
import * as z from 'zod';
import { REQUIREMENT_OPERATORS } from '../../domain/requirement.js';
import { CONSOLIDATION_POLICIES } from '../../domain/node-pool.js';
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
  .describe('The EC2NodeClass that says how nodes are launched.');
movedFields.add(nodeClassRef, { apiVersion: `group: ${NODE_CLASS_GROUP}` });

const templateSpec = z
  .strictObject({
    ...taintFields,
    requirements: requirementList('v1', REQUIREMENT_OPERATORS),
    nodeClassRef,
    expireAfter: durationOrNever('Age at which a node is replaced, or Never.').default(DEFAULT_EXPIRE_AFTER),
    terminationGracePeriod: duration(
      'Longest time that draining a node may take; after it pods are deleted whatever their budgets or annotations say. Default: no bound.',
    ).optional(),
  })
  .describe('What nodes of the pool may be.');
movedFields.add(templateSpec, { kubelet: 'spec.kubelet of the EC2NodeClass' });

const disruption = z
  .strictObject({
    consolidateAfter: durationOrNever(
      'How long a node must have seen no pod come or go before consolidation looks at it, or Never to turn consolidation off.',
    ),
    consolidationPolicy: z
      .enum(CONSOLIDATION_POLICIES)
      .default('WhenEmptyOrUnderutilized')
      .describe(
        'Which nodes consolidation may take. WhenEmpty: those without pods. WhenEmptyOrUnderutilized: also those that others can replace for less. Balanced: those whose saving is worth the disruption.',
      ),
    budgets: budgetList().default([{ nodes: DEFAULT_NODES }]),
  })
  .describe('When nodes may be disrupted voluntarily.');
movedFields.add(disruption, { expireAfter: 'spec.template.spec.expireAfter' });

const template = z
  .strictObject({ metadata: templateMetadata('v1').optional(), spec: withRule(templateSpec, checkTaintsOf) })
  .superRefine(checkReachable)
  .describe('What every node of the pool is made from.');

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
  .describe('What may be launched, in which order, how much of it, and when it is taken away again.');
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
  .describe('What may be launched for pending pods, and when it is taken away again.');

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
