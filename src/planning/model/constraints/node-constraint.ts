/** What a pod asks of the node itself: labels, terms, volume topology and taints; nothing about other pods. */
import type { NodeSelectorTerm } from '../../../domain/pods/affinity.js';
import type { LabelLookup, Labels } from '../../../domain/values/labels.js';
import {
  labelsSatisfy,
  requirementsFromLabels,
  type Requirements,
} from '../../../domain/values/requirements.js';
import {
  firstUntolerated,
  UNSCHEDULABLE_TAINT,
  type Taint,
  type TaintEffect,
  type Toleration,
} from '../../../domain/values/taint.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import { requirementsKey, termKey, tolerationsKey } from '../../snapshot/spec-key.js';

export interface NodeConstraint {
  /** Equal for constraints that admit the same nodes. */
  readonly key: string;
  readonly selector: Requirements;
  /** Of each group of terms one must match: required affinity, asked preferences, volumes. */
  readonly anyOf: readonly (readonly NodeSelectorTerm[])[];
  readonly tolerations: readonly Toleration[];
  /** Effects that repel the pod; PreferNoSchedule is among them while it is still honoured. */
  readonly repelling: readonly TaintEffect[];
  /** Whether a cordoned node repels pods that do not tolerate it; counting pods on nodes, spread looks at taints only. */
  readonly heedsCordon: boolean;
  /** Features the node must declare. */
  readonly features: readonly string[];
}

/** Something pods can be put on, seen from a constraint. */
export interface NodeView {
  readonly labels: LabelLookup;
  /** For matchFields metadata.name; a node yet to come has an unknown name that no In matches. */
  readonly fields: LabelLookup;
  readonly taints: readonly Taint[];
  /** spec.unschedulable; a node yet to come is not. */
  readonly cordoned?: boolean | undefined;
  /** undefined for nodes yet to come: their kubelet is taken to be as new as the scheduler. */
  readonly features: ReadonlySet<string> | undefined;
  /** Labels that all views with the very same map have; for looking at them once. */
  readonly chosen?: Labels | undefined;
  /** Views of one kind differ in zone and capacity type only; undefined where nothing is known of others. */
  readonly kind?: object | undefined;
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
  const { tolerations, requiredFeatures: features } = spec;
  return { key, selector, anyOf, tolerations, repelling, heedsCordon: true, features };
}

/** Whether the constraint lets pods onto this node (NodeAffinity, TaintToleration, NodeDeclaredFeatures, VolumeZone). */
export function admits(constraint: NodeConstraint, node: NodeView): boolean {
  return isOpen(constraint, node) && selectsNode(constraint, node);
}

/** All but the label part: whether the node is open to the pods at all, whatever its labels are. */
export function isOpen(
  { heedsCordon, tolerations, repelling, features }: NodeConstraint,
  node: NodeView,
): boolean {
  if (heedsCordon && cordonRepels(node, tolerations)) return false;
  if (firstUntolerated(node.taints, tolerations, repelling) !== undefined) return false;
  return features.every((feature) => node.features?.has(feature) ?? true);
}

/** Whether the node is cordoned and the pod does not tolerate that (NodeUnschedulable). */
export function cordonRepels({ cordoned }: NodeView, tolerations: readonly Toleration[]): boolean {
  return cordoned === true && firstUntolerated([UNSCHEDULABLE_TAINT], tolerations) !== undefined;
}

/** The label part alone. */
export function selectsNode(constraint: NodeConstraint, node: NodeView): boolean {
  if (!labelsSatisfy(constraint.selector, node.labels)) return false;
  return constraint.anyOf.every((terms) => matchesSome(terms, node));
}

/** Whether one of the terms matches the node; undefined asks nothing. */
export function matchesSome(terms: readonly NodeSelectorTerm[] | undefined, node: NodeView): boolean {
  return terms?.some((term) => termMatches(term, node)) ?? true;
}

/** A term without requirements matches nothing (NodeSelectorTerm, core/v1). */
function termMatches(term: NodeSelectorTerm, node: NodeView): boolean {
  if (term.labels.size + term.fields.size === 0) return false;
  return labelsSatisfy(term.labels, node.labels) && labelsSatisfy(term.fields, node.fields);
}
