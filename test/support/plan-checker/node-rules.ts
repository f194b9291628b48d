/** kube-scheduler's rules between one pod and one node: NodeAffinity and TaintToleration. */
import type { NodeSelectorTerm } from '../../../src/domain/pods/affinity.js';
import type { LabelLookup } from '../../../src/domain/values/labels.js';
import type { PodSpec } from '../../../src/domain/pods/pod.js';
import { formatRequirement } from '../../../src/domain/values/requirement.js';
import { labelsSatisfy, type Requirements } from '../../../src/domain/values/requirements.js';
import { tolerates, type Taint } from '../../../src/domain/values/taint.js';

/** A node as selectors see it; the name of one that is yet to be launched is unknown. */
export interface Selectable {
  readonly labels: LabelLookup;
  readonly name: string | undefined;
}

/** The first taint that repels the pod; PreferNoSchedule repels nobody. */
export function repellingTaint(spec: PodSpec, taints: readonly Taint[]): Taint | undefined {
  return taints.find(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' &&
      !spec.tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

export function toleratesAll(spec: PodSpec, taints: readonly Taint[]): boolean {
  return repellingTaint(spec, taints) === undefined;
}

/** Whether nodeSelector and required node affinity let the pod onto the node. */
export function admittedByLabels(spec: PodSpec, node: Selectable): boolean {
  for (const [key, value] of spec.nodeSelector) if (node.labels.get(key) !== value) return false;
  return matchesSomeTerm(spec.nodeAffinity.required, node);
}

/** One of the terms must match; undefined asks nothing, and a term without requirements matches nothing. */
export function matchesSomeTerm(terms: readonly NodeSelectorTerm[] | undefined, node: Selectable): boolean {
  return terms?.some((term) => matchesTerm(term, node)) ?? true;
}

function matchesTerm(term: NodeSelectorTerm, node: Selectable): boolean {
  if (term.labels.size === 0 && term.fields.size === 0) return false;
  const fields = { get: (key: string) => (key === 'metadata.name' ? node.name : undefined) };
  return labelsSatisfy(term.labels, node.labels) && labelsSatisfy(term.fields, fields);
}

/** The same text for specs that ask the same of a node's labels and taints. */
export function nodeRulesKey(spec: PodSpec): string {
  const selector = [...spec.nodeSelector].map(([key, value]) => `${key}=${value}`).sort();
  const terms = spec.nodeAffinity.required?.map(termKey).sort();
  const tolerations = spec.tolerations
    .map(({ key, operator, value, effect }) => [key, operator, value, effect ?? '*'].join('|'))
    .sort();
  return JSON.stringify([selector, terms ?? null, tolerations]);
}

function termKey({ labels, fields }: NodeSelectorTerm): string {
  return `${requirementsKey(labels)} fields ${requirementsKey(fields)}`;
}

function requirementsKey(required: Requirements): string {
  return [...required.values()]
    .map((item) => `${item.key} ${formatRequirement(item)} ${String(item.absent)}`)
    .sort()
    .join(' and ');
}
