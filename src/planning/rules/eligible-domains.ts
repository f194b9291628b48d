/** Domains that topology spread counts, by what its rules look at. */
import type { SpreadRule } from '../model/classes/ask.js';
import type { TopologyGroup } from '../model/classes/topology-groups.js';
import type { Admission } from '../model/constraints/admission.js';
import { type Domains, NEW_HOST, NO_DOMAIN, type Place } from '../model/constraints/domains.js';

/** By what rules look at: all packings of a problem have the same. */
const sharedOf = new WeakMap<Domains, Map<string, readonly number[]>>();

/** Domains that count for a rule of spread, whatever is placed: of the nodes that there are and of those that could be launched. */
export class EligibleDomains {
  readonly #domains: Domains;
  readonly #admission: Admission;
  readonly #ofRule = new Map<SpreadRule, readonly number[]>();
  /** The same by what the rule looks at, since many rules look at the same. */
  readonly #byKey: Map<string, readonly number[]>;

  constructor(domains: Domains, admission: Admission) {
    this.#domains = domains;
    this.#admission = admission;
    this.#byKey = sharedOf.get(domains) ?? new Map<string, readonly number[]>();
    sharedOf.set(domains, this.#byKey);
  }

  /** Ascending. `hosts`: all places in use; of these only nodes that exist are looked at. */
  of(rule: SpreadRule, hosts: readonly Place[]): readonly number[] {
    const known = this.#ofRule.get(rule);
    if (known !== undefined) return known;
    const { topologyKey, neededKeys, filter } = rule.group;
    const key = [topologyKey, neededKeys.join(), filter?.key, rule.launchable?.key, rule.reach?.key].join(
      '\n',
    );
    const eligible = this.#byKey.get(key) ?? this.#find(rule, hosts);
    this.#byKey.set(key, eligible);
    this.#ofRule.set(rule, eligible);
    return eligible;
  }

  /** Whether pods at this place count for the group at all. */
  counts({ filter, neededKeys }: TopologyGroup, place: Place): boolean {
    for (const key of neededKeys) if (this.#domains.at(key, place) === NO_DOMAIN) return false;
    return filter === undefined || this.#admission.at(filter, place);
  }

  #find(rule: SpreadRule, hosts: readonly Place[]): readonly number[] {
    const { topologyKey } = rule.group;
    const found = new Set<number>();
    for (const host of hosts) {
      if (host.column < 0 && this.#looksAt(rule, host)) found.add(this.#domains.at(topologyKey, host));
    }
    for (let column = 0; column < this.#admission.columnCount; column++) {
      const place = { target: NEW_HOST, column };
      if (this.#looksAt(rule, place)) found.add(this.#domains.at(topologyKey, place));
    }
    found.delete(NO_DOMAIN);
    return [...found].sort((left, right) => left - right);
  }

  #looksAt({ group, launchable, reach }: SpreadRule, place: Place): boolean {
    if (!this.counts(group, place) || (reach !== undefined && !this.#admission.at(reach, place)))
      return false;
    if (place.column < 0 || launchable === undefined) return true;
    return this.#admission.at(launchable, place);
  }
}
