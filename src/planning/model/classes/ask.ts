/** Asks: what a pod insists on at one level of relaxation. Level 0 takes every preference for a requirement. */
import type { NodeSelectorTerm } from '../../../domain/pods/affinity.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import type { PlanOptions } from '../../plan-options.js';
import type { Reason } from '../../reason.js';
import {
  nodeConstraint,
  REPELLING,
  REPELLING_PREFERRED,
  type NodeConstraint,
} from '../constraints/node-constraint.js';
import type { PlainConstraints } from './spec-facts.js';
import type { AffinityTerm, SpecTopology, SpreadTerm, TopologyGroup } from './topology-groups.js';

export interface SpreadRule {
  readonly group: TopologyGroup;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** 1 when the pod counts itself. */
  readonly self: 0 | 1;
  /**
   * What new nodes count as domains beside those that exist or are opened: undefined, all that the group looks at, as
   * Karpenter counts; as a last resort only those that the pod itself could be launched on.
   */
  readonly launchable: NodeConstraint | undefined;
  /** The least loaded domain is sought only where this constraint admits pods; undefined: everywhere. */
  readonly reach: NodeConstraint | undefined;
  readonly reason: Reason;
}

export interface AffinityRule {
  readonly group: TopologyGroup;
  readonly reason: Reason;
}

export interface Ask {
  readonly constraint: NodeConstraint;
  readonly spread: readonly SpreadRule[];
  readonly affinity: readonly AffinityRule[];
  /** Whether the pod is itself what all its affinity terms look for, so that the first of its kind may start a domain. */
  readonly startsAffinity: boolean;
  readonly antiAffinity: readonly AffinityRule[];
  /**
   * How far rules reach beyond the pod's own. `balanced`: spread rules of other pods that count this one are held in every
   * domain, so that those still to come find room. `kept`: where such pods are. `last resort`: not at all, and the least
   * loaded host is one that exists rather than one that could; asked only after every other class had its turn.
   */
  readonly strictness: 'balanced' | 'kept' | 'last resort';
}

/** A preference, with the order in which it is given up: lower ranks first, then lower weights. */
interface Preference {
  readonly rank: number;
  readonly weight: number;
  readonly nodeTerm?: NodeSelectorTerm;
  readonly spread?: SpreadTerm;
  readonly affinity?: AffinityTerm;
  readonly antiAffinity?: AffinityTerm;
  readonly preferNoSchedule?: true;
}

export interface AskInput {
  readonly spec: PodSpec;
  readonly plain: PlainConstraints;
  readonly topology: SpecTopology;
  readonly groups: readonly TopologyGroup[];
  /** Groups of terms that the pod's volumes, and claims of devices that are allocated, add. */
  readonly volumeTerms: readonly (readonly NodeSelectorTerm[])[];
  readonly options: Pick<PlanOptions, 'preferencePolicy'>;
  /** Whether any node or pool has a PreferNoSchedule taint. */
  readonly hasSoftTaints: boolean;
}

/** Most levels at which preferences are given up: asks take time and memory that grow with their number and lengths. */
export const MOST_LEVELS = 32;
/** Of more preferences than these, the ones that would be given up first are not asked for at all. */
export const MOST_PREFERENCES = 256;

/**
 * The asks of a pod, strictest first. Where there are more preferences than levels, the first that are given up are given
 * up together, so that all asks together are not longer than the preferences and a constant.
 */
export function compileAsks(input: AskInput): readonly Ask[] {
  return [
    ...levelsOf(preferencesOf(input)).map((kept) => ask(input, kept, 'balanced')),
    ask(input, [], 'balanced'),
    ask(input, [], 'kept'),
    ask(input, [], 'last resort'),
  ];
}

/** Up to so many preferences, sets of the heaviest are tried in each combination. */
const FEW_PREFERENCES = 12;
/** How many of the heaviest are combined. */
const COMBINED = 3;

/**
 * What is kept at each level, the best first. Preferences are given up one at a time, the first of the list first, until
 * the heaviest three with weights are left. Of these each combination is tried, those with the greatest weight first: one
 * that cannot be met does not cost the others. What has no weight (spread, PreferNoSchedule) is kept beside them, then in
 * their place, then given up for them.
 */
function levelsOf(preferences: readonly Preference[]): readonly (readonly Preference[])[] {
  if (preferences.length > FEW_PREFERENCES) {
    const together = Math.max(1, preferences.length - MOST_LEVELS + 1);
    return preferences.flatMap((_, dropped) =>
      dropped === 0 || dropped >= together ? [preferences.slice(dropped)] : [],
    );
  }
  const weighted = preferences.filter(({ weight }) => weight > 0);
  const others = preferences.filter(({ weight }) => weight === 0);
  const heavy = weighted.slice(-COMBINED);
  const light = weighted.slice(0, -COMBINED);
  const combined = combinations(heavy);
  return [
    ...light.map((_, dropped) => preferences.slice(dropped)),
    ...combined.map((kept) => [...kept, ...others]),
    ...others.map((_, dropped) => others.slice(dropped)),
    ...(others.length > 0 ? combined : []),
  ];
}

/** The sets of preferences that are not empty: those of higher ranks before those of lower ones, then by the sum of weights. */
function combinations(preferences: readonly Preference[]): readonly (readonly Preference[])[] {
  const ranks = [...new Set(preferences.map(({ rank }) => rank))].sort((left, right) => right - left);
  const sets = Array.from({ length: 2 ** preferences.length - 1 }, (_, number) =>
    preferences.filter((_preference, bit) => (((number + 1) >> bit) & 1) === 1),
  );
  const weightOf = (set: readonly Preference[], rank: number): number =>
    set.reduce((sum, preference) => sum + (preference.rank === rank ? preference.weight : 0), 0);
  const compare = (left: readonly Preference[], right: readonly Preference[]): number => {
    for (const rank of ranks) {
      const difference = weightOf(right, rank) - weightOf(left, rank);
      if (difference !== 0) return difference;
    }
    return right.length - left.length;
  };
  return sets.sort(compare);
}

function preferencesOf({ spec, topology, options, hasSoftTaints }: AskInput): readonly Preference[] {
  if (options.preferencePolicy === 'Ignore') return [];
  const isPreferred = ({ weight }: AffinityTerm): boolean => weight > 0;
  const list: Preference[] = [
    ...topology.affinity
      .filter(isPreferred)
      .map((affinity) => ({ rank: 0, weight: affinity.weight, affinity })),
    ...topology.antiAffinity
      .filter(isPreferred)
      .map((antiAffinity) => ({ rank: 1, weight: antiAffinity.weight, antiAffinity })),
    ...spec.nodeAffinity.preferred.map(({ weight, term }) => ({ rank: 2, weight, nodeTerm: term })),
    ...topology.spread.filter((term) => !isHard(term)).map((spread) => ({ rank: 3, weight: 0, spread })),
    ...(hasSoftTaints ? [{ rank: 4, weight: 0, preferNoSchedule: true as const }] : []),
  ];
  return list
    .sort((left, right) => left.rank - right.rank || left.weight - right.weight)
    .slice(-MOST_PREFERENCES);
}

function isHard({ constraint }: SpreadTerm): boolean {
  return constraint.whenUnsatisfiable === 'DoNotSchedule';
}

function ask(input: AskInput, kept: readonly Preference[], strictness: Ask['strictness']): Ask {
  const { topology, groups } = input;
  const rule = (code: 'PodAffinity' | 'PodAntiAffinity', terms: readonly AffinityTerm[]): AffinityRule[] =>
    terms.flatMap(({ group: index }) => {
      const group = groups[index];
      return group === undefined ? [] : [{ group, reason: { code, key: group.topologyKey } }];
    });
  const isRequired = ({ weight }: AffinityTerm): boolean => weight === 0;
  const affinity = [...topology.affinity.filter(isRequired), ...kept.flatMap((item) => item.affinity ?? [])];
  const antiAffinity = [
    ...topology.antiAffinity.filter(isRequired),
    ...kept.flatMap((item) => item.antiAffinity ?? []),
  ];
  const spread = [...topology.spread.filter(isHard), ...kept.flatMap((item) => item.spread ?? [])];
  const constraint = constraintOf(input, kept);
  return {
    constraint,
    spread: spread.flatMap((term) =>
      spreadRule(term, input, strictness === 'last resort' ? constraint : undefined),
    ),
    affinity: rule('PodAffinity', affinity),
    startsAffinity: affinity.every(({ group }) => topology.memberOf.includes(group)),
    antiAffinity: rule('PodAntiAffinity', antiAffinity),
    strictness,
  };
}

function constraintOf({ spec, plain, volumeTerms }: AskInput, kept: readonly Preference[]): NodeConstraint {
  const isSoft = kept.some((item) => item.preferNoSchedule);
  const nodeTerms = kept.flatMap((item) => (item.nodeTerm === undefined ? [] : [[item.nodeTerm]]));
  if (volumeTerms.length + nodeTerms.length === 0) return isSoft ? plain.soft : plain.required;
  return nodeConstraint(spec, [...volumeTerms, ...nodeTerms], isSoft ? REPELLING_PREFERRED : REPELLING);
}

function spreadRule(
  { group: index, constraint }: SpreadTerm,
  { groups, topology }: AskInput,
  launchable: NodeConstraint | undefined,
): readonly SpreadRule[] {
  const group = groups[index];
  if (group === undefined) return [];
  const { maxSkew, minDomains, topologyKey: key } = constraint;
  const self = topology.memberOf.includes(index) ? 1 : 0;
  return [
    {
      group,
      maxSkew,
      minDomains,
      self,
      launchable,
      reach: undefined,
      reason: { code: 'TopologySpread', key, maxSkew },
    },
  ];
}
