/** Required pod affinity and anti-affinity, both the pod's own and those of pods that are there (InterPodAffinity). */
import type { PodAffinityTerm, StringMap } from '../../cluster/objects.js';
import { selects, type LabelSelector } from '../../kubernetes/objects/label-selector.js';
import { refusal, type Facts, type NodeFilter } from './node-check.js';
import type { PodInfo } from './pod-info.js';

const NO_LABELS: StringMap = {};
const PLUGIN = 'InterPodAffinity';

export const interPodAffinity: NodeFilter = (pod, facts) => {
  if (pod.affinity.length === 0 && pod.antiAffinity.length === 0 && !facts.hasAntiAffinity)
    return () => undefined;
  const wanted = pod.affinity.map((term) => ({ term, domains: domainsOf(term, pod.affinity, pod, facts) }));
  const isFirst =
    wanted.every(({ domains }) => domains.size === 0) &&
    pod.affinity.every((term) => isMeant(term, pod, pod, facts));
  const avoided = pod.antiAffinity.map((term) => ({ term, domains: domainsOf(term, [term], pod, facts) }));
  const guarded = guardedDomains(pod, facts);
  return (node) => {
    const { labels } = node;
    if (!wanted.every(({ term }) => labels[term.topologyKey] !== undefined))
      return refusal(PLUGIN, "node(s) didn't match pod affinity rules", false);
    if (!isFirst && !wanted.every(({ term, domains }) => domains.has(labels[term.topologyKey] ?? '')))
      return refusal(PLUGIN, "node(s) didn't match pod affinity rules", false);
    if (avoided.some(({ term, domains }) => isIn(domains, labels[term.topologyKey])))
      return refusal(PLUGIN, "node(s) didn't match pod anti-affinity rules", true);
    if ([...guarded].some(([key, domains]) => isIn(domains, labels[key])))
      return refusal(PLUGIN, "node(s) didn't satisfy existing pods anti-affinity rules", true);
    return undefined;
  };
};

/** The term's topology values in which a pod runs that all of the terms mean. */
function domainsOf(
  { topologyKey }: PodAffinityTerm,
  terms: readonly PodAffinityTerm[],
  owner: PodInfo,
  facts: Facts,
): ReadonlySet<string> {
  const domains = new Set<string>();
  for (const node of facts.nodes) {
    const domain = node.labels[topologyKey];
    if (domain === undefined || domains.has(domain)) continue;
    for (const other of node.pods)
      if (terms.every((term) => isMeant(term, owner, other, facts))) domains.add(domain);
  }
  return domains;
}

/** Topology key → values from which pods that are there keep this one away. */
function guardedDomains(pod: PodInfo, facts: Facts): ReadonlyMap<string, ReadonlySet<string>> {
  const guarded = new Map<string, Set<string>>();
  if (!facts.hasAntiAffinity) return guarded;
  for (const { term, owner, labels } of antiAffinities(facts)) {
    const domain = labels[term.topologyKey];
    if (domain === undefined || !isMeant(term, owner, pod, facts)) continue;
    const domains = guarded.get(term.topologyKey) ?? new Set<string>();
    guarded.set(term.topologyKey, domains.add(domain));
  }
  return guarded;
}

function* antiAffinities({ nodes }: Facts): Generator<{
  readonly term: PodAffinityTerm;
  readonly owner: PodInfo;
  readonly labels: StringMap;
}> {
  for (const { pods, labels } of nodes)
    for (const owner of pods) for (const term of owner.antiAffinity) yield { term, owner, labels };
}

/** Whether the owner's term is about the other pod. */
function isMeant(term: PodAffinityTerm, owner: PodInfo, other: PodInfo, facts: Facts): boolean {
  return inNamespaces(term, owner, other.namespace, facts) && selects(selectorOf(term, owner), other.labels);
}

function inNamespaces(term: PodAffinityTerm, owner: PodInfo, namespace: string, facts: Facts): boolean {
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.length === 0 && namespaceSelector === undefined) return namespace === owner.namespace;
  if (namespaces.includes(namespace)) return true;
  if (namespaceSelector === undefined) return false;
  return selects(
    namespaceSelector,
    facts.get('namespaces', { name: namespace })?.metadata.labels ?? NO_LABELS,
  );
}

function selectorOf(term: PodAffinityTerm, { labels }: PodInfo): LabelSelector | undefined {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (labelSelector === undefined || matchLabelKeys.length + mismatchLabelKeys.length === 0)
    return labelSelector;
  const added = [
    ...matchLabelKeys.map((key) => ({ key, operator: 'In' })),
    ...mismatchLabelKeys.map((key) => ({ key, operator: 'NotIn' })),
  ].flatMap(({ key, operator }) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}

function isIn(domains: ReadonlySet<string>, domain: string | undefined): boolean {
  return domain !== undefined && domains.has(domain);
}
