/** Fields that NodePools of both API versions have. */
import * as z from 'zod';
import { amounts } from '../fields/amount.js';
import { annotations, nodeLabels } from '../fields/label-map.js';
import type { LabelEra } from '../fields/label-rules.js';
import { taintList } from '../fields/taint.js';

/** Karpenter's expireAfter when a NodePool says nothing. */
export const DEFAULT_EXPIRE_AFTER = '720h';

export const TAINTS = 'Taints of the nodes. Only pods that tolerate them are planned onto the pool.';
export const STARTUP_TAINTS =
  'Taints that nodes start with and that another component removes (a CNI, a driver). Pods need not tolerate them to be planned.';

/** spec.limits. */
export const limits = amounts(
  'Maximum total of all nodes of the pool, per resource: cpu, memory, nodes, nvidia.com/gpu and so on. Default: no limit.',
);

/** spec.weight. */
export const weight = z
  .int()
  .min(1)
  .max(100)
  .describe('Pools with a higher weight are tried first, 1 to 100. Default: 0.');

/** spec.template.metadata. */
export function templateMetadata(era: LabelEra): z.ZodType<TemplateMetadata, TemplateMetadata> {
  return z
    .strictObject({
      labels: nodeLabels(era, 'Labels of every node. At most 100.').optional(),
      annotations: annotations('Annotations of every node.').optional(),
    })
    .describe('Labels and annotations of the nodes.');
}

/** Labels and annotations as written. */
export interface TemplateMetadata {
  readonly labels?: Record<string, string> | undefined;
  readonly annotations?: Record<string, string> | undefined;
}

/** spec.template.spec.taints and startupTaints. */
export const taintFields = {
  taints: taintList(TAINTS).optional(),
  startupTaints: taintList(STARTUP_TAINTS).optional(),
};
