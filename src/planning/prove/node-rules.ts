/** Whether taints, selectors and affinity let pods of a spec on the forms that a place may take. */
import type { NodeSelectorTerm } from '../../domain/affinity.js';
import type { PodSpec } from '../../domain/pod.js';
import { allows } from '../../domain/requirement.js';
import { labelsSatisfy } from '../../domain/requirements.js';
import { firstUntolerated, type Taint } from '../../domain/taint.js';
import type { Form, FormSet } from './form-sets.js';

/** Whether nodeSelector and required node affinity let pods on every form. */
export function selectsAll(
  { nodeSelector, nodeAffinity: { required } }: PodSpec,
  set: FormSet,
  name: string | undefined,
): boolean {
  for (const [key, value] of nodeSelector) if (set.values(key).some((other) => other !== value)) return false;
  const [term] = required ?? [];
  if (term === undefined || required?.length !== 1 || term.fields.size > 0)
    return required === undefined || set.forms.every((form) => matchesSome(required, form, name));
  const asked = [...term.labels.values()];
  return (
    asked.length > 0 && asked.every((item) => set.values(item.key).every((value) => allows(item, value)))
  );
}

/** Whether one of the terms matches every form. Volumes mostly name the zone only: then each zone is asked once. */
export function matchesAnywhere(
  terms: readonly NodeSelectorTerm[] | undefined,
  set: FormSet,
  name: string | undefined,
): boolean {
  if (terms === undefined) return true;
  const keys = new Set(terms.flatMap(({ labels }) => [...labels.keys()]));
  const [key] = keys;
  if (key === undefined || keys.size > 1) return set.forms.every((form) => matchesSome(terms, form, name));
  return set.values(key).every((value) => {
    const labels = { get: (asked: string) => (asked === key ? value : undefined) };
    return matchesSome(terms, { labels }, name);
  });
}

export function repellingTaint({ tolerations }: PodSpec, taints: readonly Taint[]): Taint | undefined {
  return taints.length === 0 ? undefined : firstUntolerated(taints, tolerations);
}

/** nodeSelector and required node affinity (NodeAffinity); the name of a node yet to come matches nothing. */
export function selectsForm(
  { nodeSelector, nodeAffinity }: PodSpec,
  { labels }: Pick<Form, 'labels'>,
  name?: string,
): boolean {
  for (const [key, value] of nodeSelector) if (labels.get(key) !== value) return false;
  return matchesSome(nodeAffinity.required, { labels }, name);
}

function matchesSome(
  terms: readonly NodeSelectorTerm[] | undefined,
  { labels }: Pick<Form, 'labels'>,
  name: string | undefined,
): boolean {
  if (terms === undefined) return true;
  const fields = { get: (key: string) => (key === 'metadata.name' ? name : undefined) };
  return terms.some(
    (term) =>
      term.labels.size + term.fields.size > 0 &&
      labelsSatisfy(term.labels, labels) &&
      labelsSatisfy(term.fields, fields),
  );
}
