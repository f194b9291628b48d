/** Which groups count the pods of a spec, found by the labels of the pods instead of by asking every group. */
import { selects } from '../../../domain/label-selector.js';
import { NO_LABELS, type Labels } from '../../../domain/labels.js';
import type { PodSpec } from '../../../domain/pod.js';
import type { Requirement } from '../../../domain/requirement.js';
import type { TopologyGroup } from './topology-groups.js';

export class GroupMembers {
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
    for (const value of needed.values) {
      const there = ofKey.get(value);
      if (there === undefined) ofKey.set(value, [group]);
      else there.push(group);
    }
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
