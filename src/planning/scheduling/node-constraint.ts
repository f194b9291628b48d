/** What a pod asks of the node itself: labels, terms, volume topology and taints; nothing about other pods. */
import type { NodeSelectorTerm } from '../../domain/affinity.js';
import type { LabelLookup } from '../../domain/labels.js';
import { labelsSatisfy, requirementsFromLabels, type Requirements } from '../../domain/requirements.js';
import { firstUntolerated, type Taint, type TaintEffect, type Toleration } from '../../domain/taint.js';
import type { PodSpec } from '../../domain/pod.js';
import { requirementsKey, termKey, tolerationsKey } from '../snapshot/spec-key.js';

export interface NodeConstraint {
  /** Equal for constraints that admit the same nodes. */
  readonly key: string;
  readonly selector: Requirements;
  /** Of each group of terms one must match: required affinity, asked preferences, volumes. */
  readonly anyOf: readonly (readonly NodeSelectorTerm[])[];
  readonly tolerations: readonly Toleration[];
  /** Effects that repel the pod; PreferNoSchedule is among them while it is still honoured. */
  readonly repelling: readonly TaintEffect[];
  /** Features the node must declare. */
  readonly features: readonly string[];
}

/** Something pods can be put on, seen from a constraint. */
export interface NodeView {
  readonly labels: LabelLookup;
  /** For matchFields metadata.name; a node yet to come has an unknown name that no In matches. */
  readonly fields: LabelLookup;
  readonly taints: readonly Taint[];
  /** undefined for nodes yet to come: their kubelet is taken to be as new as the scheduler. */
  readonly features: ReadonlySet<string> | undefined;
}

export const REPELLING: readonly TaintEffect[] = ['NoSchedule', 'NoExecute'];
export const REPELLING_PREFERRED: readonly TaintEffect[] = [...REPELLING, 'PreferNoSchedule'];

/** The required part of a spec as a constraint, with further groups of terms (volumes, preferences). */
export function nodeConstraint(
  spec: PodSpec,
  extra: readonly (readonly NodeSelectorTerm[])[],
  repelling: readonly TaintEffect[] = REPELLING,
): NodeConstraint {
  const selector = requirementsFromLabels(spec.nodeSelector);
  const anyOf = spec.nodeAffinity.required === undefined ? extra : [spec.nodeAffinity.required, ...extra];
  const key = [
    requirementsKey(selector),
    ...anyOf.map((terms) => terms.map(termKey).sort().join(' or ')),
    `tolerates ${tolerationsKey(spec.tolerations)}`,
    `repelled ${String(repelling.length)}`,
    spec.requiredFeatures.join(','),
  ].join(' & ');
  return { key, selector, anyOf, tolerations: spec.tolerations, repelling, features: spec.requiredFeatures };
}

/** Whether the constraint lets pods onto this node (NodeAffinity, TaintToleration, NodeDeclaredFeatures, VolumeZone). */
export function admits(constraint: NodeConstraint, node: NodeView): boolean {
  if (firstUntolerated(node.taints, constraint.tolerations, constraint.repelling) !== undefined) return false;
  return (
    selectsNode(constraint, node) &&
    constraint.features.every((feature) => node.features?.has(feature) ?? true)
  );
}

/** The label part alone. */
export function selectsNode(constraint: NodeConstraint, node: NodeView): boolean {
  if (!labelsSatisfy(constraint.selector, node.labels)) return false;
  return constraint.anyOf.every((terms) => terms.some((term) => termMatches(term, node)));
}

/** A term without requirements matches nothing (NodeSelectorTerm, core/v1). */
export function termMatches(term: NodeSelectorTerm, node: NodeView): boolean {
  if (term.labels.size + term.fields.size === 0) return false;
  return labelsSatisfy(term.labels, node.labels) && labelsSatisfy(term.fields, node.fields);
}
