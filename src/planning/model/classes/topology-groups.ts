/** Topology groups: sets of pods that spread constraints and pod affinity count per domain, interned over all specs. */
import { append } from '../../../domain/values/lists.js';
import { selects } from '../../../domain/values/label-selector.js';
import { HOSTNAME, type Labels, NO_LABELS } from '../../../domain/values/labels.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import type { Requirement } from '../../../domain/values/requirement.js';
import type { TopologySpreadConstraint } from '../../../domain/pods/topology-spread.js';
import type { SpecFacts } from './spec-facts.js';
import { type GroupDraft, NO_TERMS, type TopologyTerms } from './topology-terms.js';
import type { Snapshot } from '../../snapshot/snapshot.js';

/** Pods counted per domain of one key. Two constraints that count the same share a group. */
export interface TopologyGroup extends Omit<GroupDraft, 'key'> {
  readonly index: number;
  readonly isHostname: boolean;
  /** Some pod insists on it: a domain that members were counted in must not change any more. */
  readonly isHard: boolean;
}

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
  /** Groups of required anti-affinity, as pods that they keep away are distinguished once this one runs. */
  readonly repels: readonly number[];
  /** Groups that count pods of this spec, ascending. */
  readonly memberOf: readonly number[];
}

export const NO_TOPOLOGY: SpecTopology = {
  spread: [],
  affinity: [],
  antiAffinity: [],
  repels: [],
  memberOf: [],
};

export interface TopologyGroups {
  readonly groups: readonly TopologyGroup[];
  /** One per `Snapshot.specs`. */
  readonly ofSpec: readonly SpecTopology[];
}

/** The groups of all specs, pending and bound; what did not change since the last time is the same object again. */
export class TopologyCompiler {
  #specs: readonly PodSpec[] = [];
  #namespaces: ReadonlyMap<string, Labels> = new Map();
  #drafts: readonly GroupDraft[] = [];
  #last: TopologyGroups = { groups: [], ofSpec: [] };
  /** What holds for the groups and namespaces of the last time. */
  #ofSpec = new WeakMap<PodSpec, SpecTopology>();

  compile({ specs, namespaces }: Snapshot, facts: readonly SpecFacts[]): TopologyGroups {
    if (specs === this.#specs && namespaces === this.#namespaces) return this.#last;
    const numbers = new GroupNumbers();
    for (const { terms } of facts) if (terms !== NO_TERMS) numbers.add(terms);
    const isSame = namespaces === this.#namespaces && numbers.areOf(this.#drafts, this.#last.groups);
    const groups = isSame ? this.#last.groups : numbers.groups();
    if (!isSame) this.#ofSpec = new WeakMap();
    const members = new GroupMembers(groups, namespaces);
    const ofSpec = specs.map((spec, index) => {
      const known = this.#ofSpec.get(spec);
      if (known !== undefined) return known;
      const made = numbers.topology(facts[index]?.terms ?? NO_TERMS, members.groupsOf(spec));
      this.#ofSpec.set(spec, made);
      return made;
    });
    this.#specs = specs;
    this.#namespaces = namespaces;
    this.#drafts = numbers.drafts;
    this.#last = { groups, ofSpec };
    return this.#last;
  }
}

/** Numbers groups in the order in which the specs name them. */
class GroupNumbers {
  /** The first draft of each group. */
  readonly drafts: GroupDraft[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #isHard: boolean[] = [];

  add({ spread, affinity, antiAffinity, repels }: TopologyTerms): void {
    for (const { draft } of spread) this.#intern(draft);
    for (const { draft } of affinity) this.#intern(draft);
    for (const { draft } of antiAffinity) this.#intern(draft);
    for (const draft of repels) this.#intern(draft);
  }

  #intern(draft: GroupDraft): void {
    const known = this.#numbers.get(draft.key);
    if (known !== undefined) {
      this.#isHard[known] ||= draft.isHard;
      return;
    }
    this.#numbers.set(draft.key, this.drafts.length);
    this.drafts.push(draft);
    this.#isHard.push(draft.isHard);
  }

  groups(): readonly TopologyGroup[] {
    return this.drafts.map((draft, index) => {
      const { topologyKey, members, filter, neededKeys, countsTerminating } = draft;
      const isHostname = topologyKey === HOSTNAME;
      const isHard = this.#isHard[index] ?? false;
      return { index, topologyKey, isHostname, members, isHard, filter, neededKeys, countsTerminating };
    });
  }

  /** Whether the groups made of these drafts are the very ones that would be made now. */
  areOf(drafts: readonly GroupDraft[], groups: readonly TopologyGroup[]): boolean {
    return (
      drafts.length === this.drafts.length &&
      this.drafts.every(
        (draft, index) => draft === drafts[index] && this.#isHard[index] === groups[index]?.isHard,
      )
    );
  }

  topology(terms: TopologyTerms, memberOf: readonly number[]): SpecTopology {
    if (terms === NO_TERMS) return memberOf.length === 0 ? NO_TOPOLOGY : { ...NO_TOPOLOGY, memberOf };
    const numberOf = ({ key }: GroupDraft): number => this.#numbers.get(key) ?? -1;
    return {
      spread: terms.spread.map(({ draft, constraint }) => ({ group: numberOf(draft), constraint })),
      affinity: terms.affinity.map(({ draft, weight }) => ({ group: numberOf(draft), weight })),
      antiAffinity: terms.antiAffinity.map(({ draft, weight }) => ({ group: numberOf(draft), weight })),
      repels: terms.repels.map(numberOf),
      memberOf,
    };
  }
}

/** Which groups count the pods of a spec, found by the labels of the pods instead of by asking every group. */
class GroupMembers {
  readonly #namespaces: ReadonlyMap<string, Labels>;
  /** Label key → value → groups that count no pod without that label. */
  readonly #byLabel = new Map<string, Map<string, TopologyGroup[]>>();
  /** Groups that name no label value. */
  readonly #others: TopologyGroup[] = [];
  /** Answers by namespace and labels, since many specs have the same. */
  readonly #answers = new Map<string, readonly number[]>();
  readonly #isEmpty: boolean;

  constructor(groups: readonly TopologyGroup[], namespaces: ReadonlyMap<string, Labels>) {
    this.#namespaces = namespaces;
    this.#isEmpty = groups.length === 0;
    for (const group of groups) this.#enter(group);
  }

  #enter(group: TopologyGroup): void {
    if (group.members.some(({ selector }) => selector === undefined)) return;
    const needed = neededValue(group);
    if (needed === undefined) {
      this.#others.push(group);
      return;
    }
    const ofKey = this.#byLabel.get(needed.key) ?? new Map<string, TopologyGroup[]>();
    this.#byLabel.set(needed.key, ofKey);
    for (const value of needed.values) append(ofKey, value, group);
  }

  /** Indices of the groups that count pods of the spec, ascending. */
  groupsOf({ namespace, labels }: PodSpec): readonly number[] {
    if (this.#isEmpty) return NONE;
    let key = `${String(namespace.length)} ${namespace}`;
    for (const [name, value] of labels)
      key += `,${String(name.length)} ${name}${String(value.length)} ${value}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const found = this.#find(namespace, labels);
    this.#answers.set(key, found);
    return found;
  }

  #find(namespace: string, labels: Labels): readonly number[] {
    const found: number[] = [];
    const ask = (group: TopologyGroup): void => {
      if (this.#counts(group, namespace, labels)) found.push(group.index);
    };
    for (const [key, value] of labels) this.#byLabel.get(key)?.get(value)?.forEach(ask);
    this.#others.forEach(ask);
    return found.length === 0 ? NONE : found.sort((left, right) => left - right);
  }

  #counts({ members }: TopologyGroup, namespace: string, labels: Labels): boolean {
    return members.every(({ selector, namespaces }) => {
      if (!selects(selector, labels)) return false;
      if (namespaces.names.has(namespace)) return true;
      const known = this.#namespaces.get(namespace) ?? NO_LABELS;
      return namespaces.selector !== undefined && selects(namespaces.selector, known);
    });
  }
}

const NONE: readonly number[] = [];

/** The requirement with the fewest values that each member has one of. */
function neededValue({ members }: TopologyGroup): Requirement | undefined {
  let best: Requirement | undefined;
  for (const { selector } of members) {
    for (const item of selector?.requirements.values() ?? []) {
      if (item.complement || item.absent) continue;
      if (best === undefined || item.values.size < best.values.size) best = item;
    }
  }
  return best;
}
