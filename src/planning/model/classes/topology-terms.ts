/** What one spec says about other pods: the groups that its spread constraints and pod affinity count, not yet numbered. */
import type { NamespaceScope, PodAffinityTerm } from '../../../domain/pods/affinity.js';
import {
  EVERYTHING,
  selects,
  selectorKey,
  type LabelSelector,
} from '../../../domain/values/label-selector.js';
import { NO_LABELS } from '../../../domain/values/labels.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import type { TopologySpreadConstraint } from '../../../domain/pods/topology-spread.js';
import { scopeKey } from '../../snapshot/spec-key.js';
import { nodeConstraint, REPELLING, type NodeConstraint } from '../constraints/node-constraint.js';
import { tooComplex } from './spec-size.js';

/** Which pods a group counts: those that match every one of these. */
interface Members {
  readonly selector: LabelSelector | undefined;
  readonly namespaces: NamespaceScope;
}

/** A group as one term of one spec describes it. */
export interface GroupDraft {
  /** Equal for drafts of one group. */
  readonly key: string;
  readonly topologyKey: string;
  readonly members: readonly Members[];
  /** Only pods on nodes that pass count (a spread's nodeAffinityPolicy and nodeTaintsPolicy); undefined: all. */
  readonly filter: NodeConstraint | undefined;
  /** Only pods on nodes that have all these labels count: the keys of the owner's hard spread constraints. */
  readonly neededKeys: readonly string[];
  /** Spread does not count pods that are being deleted; affinity does. */
  readonly countsTerminating: boolean;
  /** The spec insists on it. */
  readonly isHard: boolean;
}

interface SpreadDraft {
  readonly draft: GroupDraft;
  readonly constraint: TopologySpreadConstraint;
}

interface AffinityDraft {
  readonly draft: GroupDraft;
  /** 0 for required terms, else the preference's weight. */
  readonly weight: number;
}

/** The terms of one spec; groups are numbered in the order of these lists. */
export interface TopologyTerms {
  readonly spread: readonly SpreadDraft[];
  readonly affinity: readonly AffinityDraft[];
  readonly antiAffinity: readonly AffinityDraft[];
  readonly repels: readonly GroupDraft[];
}

/** Of a spec that says nothing about other pods. */
export const NO_TERMS: TopologyTerms = { spread: [], affinity: [], antiAffinity: [], repels: [] };

/** What tells spread groups from affinity groups. */
type Counting = Pick<GroupDraft, 'filter' | 'neededKeys' | 'countsTerminating'>;

const ALL_PODS: Counting = { filter: undefined, neededKeys: [], countsTerminating: true };

export function topologyTerms(spec: PodSpec): TopologyTerms {
  const { spread, podAffinity, podAntiAffinity } = spec;
  const affine = podAffinity.required.length + podAffinity.preferred.length;
  if (spread.length + affine + podAntiAffinity.required.length + podAntiAffinity.preferred.length === 0)
    return NO_TERMS;
  const repels = podAntiAffinity.required.map((term) => draftOf(term.topologyKey, [term], true));
  // Its pods are not planned; those that run already keep others away all the same.
  if (tooComplex(spec) !== undefined) return { ...NO_TERMS, repels };
  const single = (term: PodAffinityTerm, isHard: boolean): GroupDraft =>
    draftOf(term.topologyKey, [asAsked(term)], isHard);
  const preferred = (terms: typeof podAffinity.preferred): AffinityDraft[] =>
    terms.map(({ weight, term }) => ({ draft: single(term, false), weight }));
  const neededKeys = spread
    .filter(isHardSpread)
    .map(({ topologyKey }) => topologyKey)
    .sort();
  return {
    spread: spread.map((constraint) => ({ draft: spreadDraft(spec, constraint, neededKeys), constraint })),
    // kube-scheduler counts, for required affinity, the pods that match all terms at once (InterPodAffinity).
    affinity: [
      ...podAffinity.required.map((term) => ({
        draft: draftOf(term.topologyKey, podAffinity.required.map(asAsked), true),
        weight: 0,
      })),
      ...preferred(podAffinity.preferred),
    ],
    antiAffinity: [
      ...podAntiAffinity.required.map((term) => ({ draft: single(term, true), weight: 0 })),
      ...preferred(podAntiAffinity.preferred),
    ],
    repels,
  };
}

function draftOf(
  topologyKey: string,
  members: readonly Members[],
  isHard: boolean,
  counting = ALL_PODS,
): GroupDraft {
  const who = members
    .map(({ selector, namespaces }) => `${selectorKey(selector)}@${scopeKey(namespaces)}`)
    .sort();
  const { filter, neededKeys, countsTerminating } = counting;
  const key = [topologyKey, ...who, filter?.key ?? '', neededKeys.join(), String(countsTerminating)].join(
    '\n',
  );
  return { key, topologyKey, members, isHard, ...counting };
}

/**
 * A term as kube-scheduler asks it for the pod that has it: a namespaceSelector that namespaces without labels satisfy
 * (NotIn, DoesNotExist) lets in every namespace. Since 1.34, InterPodAffinity resolves the selector to names but asks
 * it of no labels besides, as mergeAffinityTermNamespacesIfNotEmpty changes a copy of the term. For the terms of pods
 * that run, it asks the namespace's own labels.
 */
function asAsked(term: PodAffinityTerm): PodAffinityTerm {
  return selects(term.namespaces.selector, NO_LABELS) ? { ...term, namespaces: EVERYWHERE } : term;
}

const EVERYWHERE: NamespaceScope = { names: new Set(), selector: EVERYTHING };

function isHardSpread({ whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return whenUnsatisfiable === 'DoNotSchedule';
}

/** PodTopologySpread looks, for a hard constraint, only at nodes that have the keys of all hard ones of the pod. */
function spreadDraft(
  spec: PodSpec,
  constraint: TopologySpreadConstraint,
  neededKeys: readonly string[],
): GroupDraft {
  const isHard = isHardSpread(constraint);
  const namespaces = { names: new Set([spec.namespace]), selector: undefined };
  return draftOf(constraint.topologyKey, [{ selector: constraint.selector, namespaces }], isHard, {
    filter: inclusion(spec, constraint),
    neededKeys: isHard ? neededKeys : [],
    countsTerminating: false,
  });
}

/** The nodes a spread constraint looks at (KEP-3094); undefined when it looks at all. */
function inclusion(spec: PodSpec, constraint: TopologySpreadConstraint): NodeConstraint | undefined {
  const affinity = constraint.nodeAffinityPolicy === 'Honor';
  const taints = constraint.nodeTaintsPolicy === 'Honor';
  const selective = spec.nodeSelector.size > 0 || spec.nodeAffinity.required !== undefined;
  if (!taints && !(affinity && selective)) return undefined;
  const { required } = spec.nodeAffinity;
  const seen: PodSpec = {
    ...spec,
    nodeSelector: affinity ? spec.nodeSelector : NO_LABELS,
    nodeAffinity: { required: affinity ? required : undefined, preferred: [] },
    tolerations: taints ? spec.tolerations : [],
    requiredFeatures: [],
  };
  const looked = nodeConstraint(seen, [], taints ? REPELLING : []);
  return { ...looked, key: `${looked.key} & cordoned or not`, heedsCordon: false };
}
