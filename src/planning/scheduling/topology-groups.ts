/** Topology groups: sets of pods that spread constraints and pod affinity count per domain, interned over all specs. */
import type { NamespaceScope, PodAffinityTerm } from '../../domain/affinity.js';
import { EVERYTHING, selects, selectorKey, type LabelSelector } from '../../domain/label-selector.js';
import { HOSTNAME, NO_LABELS } from '../../domain/labels.js';
import type { PodSpec } from '../../domain/pod.js';
import type { TopologySpreadConstraint } from '../../domain/topology-spread.js';
import type { PlanOptions } from '../plan-options.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { scopeKey } from '../snapshot/spec-key.js';
import { nodeConstraint, REPELLING, type NodeConstraint } from './node-constraint.js';

/** Which pods a group counts: those that match every one of these. */
interface Members {
  readonly selector: LabelSelector | undefined;
  readonly namespaces: NamespaceScope;
}

/** Pods counted per domain of one key. Two constraints that count the same share a group. */
export interface TopologyGroup {
  readonly index: number;
  readonly topologyKey: string;
  readonly isHostname: boolean;
  readonly members: readonly Members[];
  /** Only pods on nodes that pass count (a spread's nodeAffinityPolicy and nodeTaintsPolicy); undefined: all. */
  readonly filter: NodeConstraint | undefined;
  /** Only pods on nodes that have all these labels count: the keys of the owner's hard spread constraints. */
  readonly neededKeys: readonly string[];
  /** Spread does not count pods that are being deleted; affinity does. */
  readonly countsTerminating: boolean;
  /** Some pod insists on it: a domain that members were counted in must not change any more. */
  isHard: boolean;
}

/** What tells spread groups from affinity groups. */
type Counting = Pick<TopologyGroup, 'filter' | 'neededKeys' | 'countsTerminating'>;

const ALL_PODS: Counting = { filter: undefined, neededKeys: [], countsTerminating: true };

export interface SpreadTerm {
  readonly group: number;
  readonly constraint: TopologySpreadConstraint;
}

export interface AffinityTerm {
  readonly group: number;
  /** 0 for required terms, else the preference's weight. */
  readonly weight: number;
}

/** How one spec relates to the groups. */
export interface SpecTopology {
  readonly spread: readonly SpreadTerm[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  /** Groups of required anti-affinity, as the pods that they keep away are told apart once this one runs. */
  readonly repels: readonly number[];
  /** Groups that count pods of this spec, ascending. */
  readonly memberOf: readonly number[];
}

export interface TopologyGroups {
  readonly groups: readonly TopologyGroup[];
  /** One per `Snapshot.specs`. */
  readonly ofSpec: readonly SpecTopology[];
}

/** Interns the groups of all specs, pending and bound. */
export function compileTopologyGroups(snapshot: Snapshot, options: PlanOptions): TopologyGroups {
  const registry = new GroupRegistry();
  const own = snapshot.specs.map((spec) => ownTerms(spec, registry, options));
  const { groups } = registry;
  return {
    groups,
    ofSpec: own.map((terms, index) => {
      const spec = snapshot.specs[index];
      const memberOf = groups.filter((group) => spec !== undefined && isMember(snapshot, group, spec));
      return { ...terms, memberOf: memberOf.map((group) => group.index) };
    }),
  };
}

class GroupRegistry {
  readonly groups: TopologyGroup[] = [];
  readonly #byKey = new Map<string, TopologyGroup>();

  intern(topologyKey: string, members: readonly Members[], isHard: boolean, counting = ALL_PODS): number {
    const who = members
      .map(({ selector, namespaces }) => `${selectorKey(selector)}@${scopeKey(namespaces)}`)
      .sort();
    const { filter, neededKeys, countsTerminating } = counting;
    const key = [topologyKey, ...who, filter?.key ?? '', neededKeys.join(), String(countsTerminating)].join(
      '\n',
    );
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.isHard ||= isHard;
      return known.index;
    }
    const isHostname = topologyKey === HOSTNAME;
    const group = { index: this.groups.length, topologyKey, isHostname, members, isHard, ...counting };
    this.#byKey.set(key, group);
    this.groups.push(group);
    return group.index;
  }
}

type OwnTerms = Omit<SpecTopology, 'memberOf'>;

const NOTHING: OwnTerms = { spread: [], affinity: [], antiAffinity: [], repels: [] };

function ownTerms(spec: PodSpec, registry: GroupRegistry, options: PlanOptions): OwnTerms {
  const spread = effectiveSpread(spec, options);
  const { podAffinity, podAntiAffinity } = spec;
  const affine = podAffinity.required.length + podAffinity.preferred.length;
  if (spread.length + affine + podAntiAffinity.required.length + podAntiAffinity.preferred.length === 0)
    return NOTHING;
  const single = (term: PodAffinityTerm, isHard: boolean): number =>
    registry.intern(term.topologyKey, [asAsked(term)], isHard);
  const preferred = (terms: typeof podAffinity.preferred): AffinityTerm[] =>
    terms.map(({ weight, term }) => ({ group: single(term, false), weight }));
  const neededKeys = spread
    .filter(isHardSpread)
    .map(({ topologyKey }) => topologyKey)
    .sort();
  return {
    spread: spread.map((constraint) => ({
      group: spreadGroup(spec, constraint, { registry, neededKeys }),
      constraint,
    })),
    // kube-scheduler counts, for required affinity, the pods that match all terms at once (InterPodAffinity).
    affinity: [
      ...podAffinity.required.map((term) => ({
        group: registry.intern(term.topologyKey, podAffinity.required.map(asAsked), true),
        weight: 0,
      })),
      ...preferred(podAffinity.preferred),
    ],
    antiAffinity: [
      ...podAntiAffinity.required.map((term) => ({ group: single(term, true), weight: 0 })),
      ...preferred(podAntiAffinity.preferred),
    ],
    repels: podAntiAffinity.required.map((term) => registry.intern(term.topologyKey, [term], true)),
  };
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

/** The pod's own constraints, or the scheduler's defaults over the pod's labels when it has none. */
function effectiveSpread(spec: PodSpec, options: PlanOptions): readonly TopologySpreadConstraint[] {
  if (spec.spread.length > 0 || options.defaultSpread.length === 0 || spec.labels.size === 0)
    return spec.spread;
  const requirements = new Map(
    [...spec.labels].map(([key, value]) => {
      const values = new Set([value]);
      return [
        key,
        { key, complement: false, values, atLeast: -Infinity, atMost: Infinity, absent: false, minValues: 0 },
      ];
    }),
  );
  return options.defaultSpread.map((constraint) => ({ ...constraint, selector: { requirements } }));
}

function isHardSpread({ whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return whenUnsatisfiable === 'DoNotSchedule';
}

/** PodTopologySpread looks, for a hard constraint, only at nodes that have the keys of all hard ones of the pod. */
function spreadGroup(
  spec: PodSpec,
  constraint: TopologySpreadConstraint,
  { registry, neededKeys }: { readonly registry: GroupRegistry; readonly neededKeys: readonly string[] },
): number {
  const isHard = isHardSpread(constraint);
  const namespaces = { names: new Set([spec.namespace]), selector: undefined };
  return registry.intern(constraint.topologyKey, [{ selector: constraint.selector, namespaces }], isHard, {
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

function isMember(snapshot: Snapshot, group: TopologyGroup, spec: PodSpec): boolean {
  return group.members.every(
    ({ selector, namespaces }) =>
      selects(selector, spec.labels) && inScope(snapshot, namespaces, spec.namespace),
  );
}

function inScope(snapshot: Snapshot, scope: NamespaceScope, namespace: string): boolean {
  if (scope.names.has(namespace)) return true;
  return (
    scope.selector !== undefined && selects(scope.selector, snapshot.namespaces.get(namespace) ?? NO_LABELS)
  );
}
