/** Affinity and anti-affinity between pods, resolved against the labels and namespace of the pod that has them. */
import {
  NO_POD_AFFINITY,
  type NamespaceScope,
  type PodAffinity,
  type PodAffinityTerm,
  type PreferredPodAffinityTerm,
} from '../../../../domain/pods/affinity.js';
import { narrowByPodLabels } from '../../../../domain/values/label-selector.js';
import type { Labels } from '../../../../domain/values/labels.js';
import { firstElements, hasObject, member, type Field } from '../../object/field.js';
import { readLabelSelector } from '../../object/label-selector.js';
import { readLabelKeys, readTopologyKey, readValues } from '../../object/labels.js';
import { heaviest, MOST_PREFERENCES, readWeight } from '../../object/node-selector.js';

/** Required terms that are read. */
const MOST_TERMS = 1000;

/** The pod whose affinity is read. */
export interface Subject {
  readonly namespace: string;
  readonly labels: Labels;
}

/** spec.affinity.podAffinity or podAntiAffinity. */
export function readPodAffinity(field: Field, subject: Subject): PodAffinity {
  if (!hasObject(field)) return NO_POD_AFFINITY;
  const required = firstElements(member(field, 'requiredDuringSchedulingIgnoredDuringExecution'), MOST_TERMS);
  const preferred = heaviest(
    member(field, 'preferredDuringSchedulingIgnoredDuringExecution'),
    MOST_PREFERENCES,
  );
  return {
    required: required.flatMap((item) => readTerm(item, subject)),
    preferred: preferred.flatMap((item) => readPreferred(item, subject)),
  };
}

function readPreferred(field: Field, subject: Subject): PreferredPodAffinityTerm[] {
  const weight = readWeight(member(field, 'weight'));
  const termField = member(field, 'podAffinityTerm');
  const terms = readTerm(termField, subject);
  return weight === undefined ? [] : terms.map((term) => ({ weight, term }));
}

function readTerm(field: Field, subject: Subject): PodAffinityTerm[] {
  hasObject(field);
  const topologyKey = readTopologyKey(member(field, 'topologyKey'));
  const keys = {
    match: readLabelKeys(member(field, 'matchLabelKeys')),
    mismatch: readLabelKeys(member(field, 'mismatchLabelKeys')),
  };
  const selector = narrowByPodLabels(readLabelSelector(member(field, 'labelSelector')), subject.labels, keys);
  const namespaces = readNamespaceScope(field, subject.namespace);
  return topologyKey === undefined ? [] : [{ topologyKey, selector, namespaces }];
}

/** Without namespaces and namespaceSelector: the pod's own. The selector {} is every namespace. */
function readNamespaceScope(term: Field, ownNamespace: string): NamespaceScope {
  const names = readValues(member(term, 'namespaces'));
  const selector = readLabelSelector(member(term, 'namespaceSelector'));
  const own = names.length === 0 && selector === undefined;
  return { names: new Set(own ? [ownNamespace] : names), selector };
}
