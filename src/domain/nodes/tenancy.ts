/** Whether instances share hardware with those of other accounts: what a NodePool, or a claim of it, requires. */
import { INSTANCE_TENANCY, NO_LABELS, type LabelLookup, type Labels } from '../values/labels.js';
import { allows, type Requirement } from '../values/requirement.js';
import { requirementsFromLabels, requirementsOf } from '../values/requirements.js';
import type { NodeClaim } from './node-claim.js';

/** As the label karpenter.k8s.aws/instance-tenancy spells it; nothing is launched on dedicated hosts. */
export const TENANCIES = ['default', 'dedicated'] as const;
export type Tenancy = (typeof TENANCIES)[number];

/** Requirements on labels, and labels that are given. */
interface Required {
  readonly requirements: readonly Requirement[];
  readonly labels: Labels;
}

/** What a template or a claim requires. Where both are allowed, the one that costs less (Karpenter). */
export function tenancyOf(required: Required): Tenancy {
  return forbidsUsual(tenancyRequired(required)) ? 'dedicated' : 'default';
}

/** Whether a requirement on the tenancy leaves dedicated instances only. */
export function forbidsUsual(stated: Requirement | undefined): boolean {
  return stated !== undefined && !allows(stated, 'default') && allows(stated, 'dedicated');
}

/** The tenancy that a claim is launched with. */
export function tenancyOfClaim({ spec, labels }: LaunchedAs): Tenancy {
  return tenancyOf({ requirements: spec.requirements, labels });
}

/** As much of a claim as says which instance types its node may be of. */
export interface LaunchedAs extends Pick<NodeClaim, 'labels'> {
  readonly spec: Pick<NodeClaim['spec'], 'nodeClassRef' | 'nodePool' | 'requirements'>;
}

/** Whether dedicated instances meet what a template requires. */
export function allowsDedicated(required: Required): boolean {
  const stated = tenancyRequired(required);
  return stated === undefined || allows(stated, 'dedicated');
}

/** Most templates and claims say nothing, and claims are many. */
function tenancyRequired({ requirements, labels }: Required): Requirement | undefined {
  if (!labels.has(INSTANCE_TENANCY) && requirements.every(({ key }) => key !== INSTANCE_TENANCY))
    return undefined;
  return requirementsOf([...requirements, ...requirementsFromLabels(labels).values()]).get(INSTANCE_TENANCY);
}

/** What the labels of a node or of an instance type say; without the label it is the usual one. */
export function labelledTenancy(labels: LabelLookup): Tenancy {
  return labels.get(INSTANCE_TENANCY) === 'dedicated' ? 'dedicated' : 'default';
}

/** The same as labels that a plan chooses: none for the usual one, which goes without saying. */
export function tenancyLabels(tenancy: Tenancy): Labels {
  return tenancy === 'dedicated' ? DEDICATED : NO_LABELS;
}

const DEDICATED: Labels = new Map([[INSTANCE_TENANCY, 'dedicated']]);
