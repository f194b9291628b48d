/** What pods ask: requirements, node terms, pod terms, spread constraints and tolerations, in few words. */
import type { NodeAffinity, NodeSelectorTerm, PodAffinityTerm } from '../../../src/domain/pods/affinity.js';
import { EVERYTHING, type LabelSelector } from '../../../src/domain/values/label-selector.js';
import { requirement, type Requirement } from '../../../src/domain/values/requirement.js';
import {
  NO_REQUIREMENTS,
  requirementsFromLabels,
  requirementsOf,
} from '../../../src/domain/values/requirements.js';
import type { Taint, Toleration } from '../../../src/domain/values/taint.js';
import type { TopologySpreadConstraint } from '../../../src/domain/pods/topology-spread.js';
import { labels, type LabelRecord } from './pod.js';

/** `key In [values]`. */
export function oneOf(key: string, ...values: readonly string[]): Requirement {
  return requirement(key, 'In', values);
}

/** `key NotIn [values]`. */
export function noneOf(key: string, ...values: readonly string[]): Requirement {
  return requirement(key, 'NotIn', values);
}

/** One node selector term over labels. */
export function nodeTerm(...required: readonly Requirement[]): NodeSelectorTerm {
  return { labels: requirementsOf(required), fields: NO_REQUIREMENTS };
}

/** The term that only the named nodes match (matchFields metadata.name). */
export function nodeNameTerm(...names: readonly string[]): NodeSelectorTerm {
  return { labels: NO_REQUIREMENTS, fields: requirementsOf([oneOf('metadata.name', ...names)]) };
}

/** Required node affinity: one of the terms must match. */
export function requiredTerms(...required: readonly NodeSelectorTerm[]): NodeAffinity {
  return { required, preferred: [] };
}

/** matchLabels. */
export function selecting(record: LabelRecord): LabelSelector {
  return { requirements: requirementsFromLabels(labels(record)) };
}

/** A pod affinity term over `key` for pods with these labels in the namespace `default`, or the ones named. */
export function podTerm(
  key: string,
  matching: LabelRecord,
  namespaces: readonly string[] | LabelSelector = ['default'],
): PodAffinityTerm {
  const scope =
    'requirements' in namespaces
      ? { names: new Set<string>(), selector: namespaces }
      : { names: new Set(namespaces), selector: undefined };
  return { topologyKey: key, selector: selecting(matching), namespaces: scope };
}

/** Every namespace (an empty namespaceSelector). */
export const ALL_NAMESPACES: LabelSelector = EVERYTHING;

/** DoNotSchedule over `key` with maxSkew 1 for pods with these labels. */
export function spreadOver(
  key: string,
  matching: LabelRecord,
  overrides: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: key,
    whenUnsatisfiable: 'DoNotSchedule',
    selector: selecting(matching),
    minDomains: 1,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    ...overrides,
  };
}

/** `key=value:NoSchedule` unless another effect is given. */
export function taint(key: string, value = '', effect: Taint['effect'] = 'NoSchedule'): Taint {
  return { key, value, effect };
}

/** Tolerates every effect of a key; of every key when none is given. */
export function tolerateKey(key = ''): Toleration {
  return { key, operator: 'Exists', value: '', effect: undefined };
}
