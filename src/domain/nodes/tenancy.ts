/** Whether instances share hardware with those of other accounts: what a NodePool, or a claim of it, requires. */
import { INSTANCE_TENANCY, type Labels } from '../values/labels.js';
import { allows, type Requirement } from '../values/requirement.js';
import { requirementsFromLabels, requirementsOf } from '../values/requirements.js';

/** As the label karpenter.k8s.aws/instance-tenancy spells it; nothing is launched on dedicated hosts. */
export const TENANCIES = ['default', 'dedicated'] as const;
export type Tenancy = (typeof TENANCIES)[number];

/** What a template or a claim requires. Where both are allowed, the one that costs less (Karpenter). */
export function tenancyOf({
  requirements,
  labels,
}: {
  readonly requirements: readonly Requirement[];
  readonly labels: Labels;
}): Tenancy {
  const all = requirementsOf([...requirements, ...requirementsFromLabels(labels).values()]);
  const required = all.get(INSTANCE_TENANCY);
  if (required === undefined || allows(required, 'default')) return 'default';
  return allows(required, 'dedicated') ? 'dedicated' : 'default';
}
