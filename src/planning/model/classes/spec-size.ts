/** How long a pod's rules are: what it takes to compile them, counted before anything is compiled. */
import type { NodeSelectorTerm, PodAffinityTerm } from '../../../domain/pods/affinity.js';
import type { LabelSelector } from '../../../domain/values/label-selector.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import type { Requirements } from '../../../domain/values/requirements.js';
import type { TooComplex } from '../../reason.js';

/** Of longer rules every type and every node would be asked so many times that other pods would wait. */
export const MOST_RULES = 4_096;

/** Why a pod with these rules is not planned; undefined where they are short enough. */
export function tooComplex(spec: PodSpec): TooComplex | undefined {
  const rules = countRules(spec);
  return rules <= MOST_RULES ? undefined : { code: 'TooComplex', rules, most: MOST_RULES };
}

/** Preferences of a pod: terms with a weight, and spread that is not required. */
export function countPreferences(spec: PodSpec | undefined): number {
  if (spec === undefined) return 0;
  const { nodeAffinity, podAffinity, podAntiAffinity, spread } = spec;
  let count = nodeAffinity.preferred.length + podAffinity.preferred.length + podAntiAffinity.preferred.length;
  for (const { whenUnsatisfiable } of spread) if (whenUnsatisfiable !== 'DoNotSchedule') count++;
  return count;
}

/** Requirements, values, terms, tolerations, ports and volumes; preferences are bounded elsewhere. */
function countRules(spec: PodSpec): number {
  const { nodeSelector, nodeAffinity, podAffinity, podAntiAffinity } = spec;
  let count = nodeSelector.size + spec.tolerations.length + spec.hostPorts.length + spec.volumes.length;
  for (const term of nodeAffinity.required ?? NO_TERMS) count += ofTerm(term);
  for (const term of podAffinity.required) count += ofPodTerm(term);
  for (const term of podAntiAffinity.required) count += ofPodTerm(term);
  for (const { selector } of spec.spread) count += 1 + ofSelector(selector);
  return count;
}

const NO_TERMS: readonly NodeSelectorTerm[] = [];

function ofTerm({ labels, fields }: NodeSelectorTerm): number {
  return 1 + ofRequirements(labels) + ofRequirements(fields);
}

function ofPodTerm({ selector, namespaces }: PodAffinityTerm): number {
  return 1 + ofSelector(selector) + ofSelector(namespaces.selector) + namespaces.names.size;
}

function ofSelector(selector: LabelSelector | undefined): number {
  return selector === undefined ? 0 : ofRequirements(selector.requirements);
}

function ofRequirements(requirements: Requirements): number {
  let count = 0;
  for (const { values } of requirements.values()) count += 1 + values.size;
  return count;
}
