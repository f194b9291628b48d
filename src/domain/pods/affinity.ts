/** Node affinity and inter-pod affinity of a pod, with selectors already resolved against the pod's own labels. */
import type { LabelSelector } from '../values/label-selector.js';
import type { LabelLookup } from '../values/labels.js';
import { labelsSatisfy, type Requirements } from '../values/requirements.js';

/** One node selector term: label requirements and, for `metadata.name`, field requirements. */
export interface NodeSelectorTerm {
  readonly labels: Requirements;
  readonly fields: Requirements;
}

export interface PreferredNodeTerm {
  readonly weight: number;
  readonly term: NodeSelectorTerm;
}

/** `required`: undefined when the pod has none; otherwise one of the terms must match (an empty list matches nothing). */
export interface NodeAffinity {
  readonly required: readonly NodeSelectorTerm[] | undefined;
  readonly preferred: readonly PreferredNodeTerm[];
}

/** Namespaces a pod affinity term looks into: the listed ones and those whose labels match the selector. */
export interface NamespaceScope {
  readonly names: ReadonlySet<string>;
  readonly selector: LabelSelector | undefined;
}

export interface PodAffinityTerm {
  readonly topologyKey: string;
  /** undefined matches no pod. */
  readonly selector: LabelSelector | undefined;
  readonly namespaces: NamespaceScope;
}

export interface PreferredPodAffinityTerm {
  readonly weight: number;
  readonly term: PodAffinityTerm;
}

export interface PodAffinity {
  readonly required: readonly PodAffinityTerm[];
  readonly preferred: readonly PreferredPodAffinityTerm[];
}

export const NO_NODE_AFFINITY: NodeAffinity = { required: undefined, preferred: [] };
export const NO_POD_AFFINITY: PodAffinity = { required: [], preferred: [] };

/** Whether the term selects a node of this name with these labels. */
export function termSelects(
  { labels, fields }: NodeSelectorTerm,
  node: { readonly name: string; readonly labels: LabelLookup },
): boolean {
  return labelsSatisfy(labels, node.labels) && labelsSatisfy(fields, new Map([['metadata.name', node.name]]));
}
