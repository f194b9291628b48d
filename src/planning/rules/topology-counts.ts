/** Counters of topology groups per domain, updated as pods are placed, and the rules asked of them. */
import { HOSTNAME } from '../../domain/values/labels.js';
import type { AffinityRule, Ask, SpreadRule } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { TopologyGroup } from '../model/classes/topology-groups.js';
import type { Admission } from '../model/constraints/admission.js';
import { type Domains, NEW_HOST, NO_DOMAIN, type Place } from '../model/constraints/domains.js';
import type { Reason } from '../reason.js';
import { LEAVES } from '../snapshot/snapshot.js';
import { EligibleDomains } from './eligible-domains.js';

/** Pods per domain of one group; hosts grow as claims are opened. */
interface Counts {
  /** Members of the group. */
  readonly members: number[];
  /** Pods whose own required anti-affinity is the group. */
  readonly repelling: number[];
  /** Pods whose own DoNotSchedule spread is the group. */
  readonly spreading: number[];
  /** Members in any domain; one on a node without the key is in none (InterPodAffinity). */
  total: number;
  /** Those of them that run already. */
  bound: number;
  /** Whether a planned pod is the first of its kind, before which none of the others may be bound. */
  isStarted: boolean;
  /** Members that are on their way to another node; undefined where there are none. */
  moves?: Moves;
}

/**
 * Pods that leave a domain run there until they are evicted, and those that come in their place are not there yet. How full
 * a domain gets on the way, and how many pods it has at least once all have moved, are two numbers.
 */
interface Moves {
  /** Members that leave, and that come, wherever they are: also where the group does not count pods. */
  leavers: number;
  comers: number;
  /** Domain → members that leave or come, and those that come. */
  readonly moving: number[];
  readonly coming: number[];
  /** Domain → members that are counted, and are not there once all have moved. */
  readonly passing: number[];
}

/** What counting asks of a problem. */
interface TopologyFacts {
  readonly groups: readonly TopologyGroup[];
  readonly domains: Domains;
  readonly admission: Admission;
  /** Whether pods keep to spread constraints that only other pods have; false where they may be bound after those. */
  readonly isCourteous?: boolean | undefined;
  /** Whether a pod may be placed where it must be bound before others that are placed already. */
  readonly mayComeBefore?: boolean | undefined;
  /** Whether the first of a kind may be bound after pods with spread that count it, as the others of its kind may. */
  readonly mayStartLate?: boolean | undefined;
}

/** Anti-affinity of others that counts a class: over hosts by group, and the rest. */
interface Repellers {
  readonly byHost: ReadonlyMap<number, AffinityRule>;
  readonly others: readonly AffinityRule[];
}

/** The first pod of its kind in some groups of affinity. */
interface Start {
  readonly pods: PodClass;
  readonly place: Place;
  readonly groups: readonly TopologyGroup[];
}

/** Rules that are gone through one after the other. */
const FEW_RULES = 4;
const NO_GROUPS: ReadonlySet<number> = new Set();

export class TopologyCounts {
  readonly #domains: Domains;
  readonly #isCourteous: boolean;
  /**
   * Group → domain → planned members that may be bound after pods with the spread: those without spread of their own, or with
   * spread over keys with more domains, but not the first of a kind. Undefined where pods are bound as they are placed, or in any order.
   */
  readonly #latecomers: readonly number[][] | undefined;
  readonly #mayStartLate: boolean;
  /** Place → classes of which one pod there is the first of its kind, where pods may be bound before others that are placed. */
  readonly #first = new Map<Place, readonly PodClass[]>();
  /** Those that may still be bound after pods with spread. */
  #lateStarts: readonly Start[] = [];
  readonly #admission: Admission;
  readonly #groups: readonly TopologyGroup[];
  readonly #counts: readonly Counts[];
  /** Every place in use, for the floor of hostname spread. */
  readonly #hosts: Place[] = [];
  /** Host → groups that pods there have or had as required anti-affinity over hosts; kept once it is asked for. */
  #repellingHosts: Map<number, Set<number>> | undefined;
  readonly #repellers = new Map<readonly AffinityRule[], Repellers>();
  readonly #eligible: EligibleDomains;

  constructor(facts: TopologyFacts) {
    const {
      groups,
      domains,
      admission,
      isCourteous = true,
      mayComeBefore = false,
      mayStartLate = false,
    } = facts;
    this.#mayStartLate = mayStartLate;
    this.#isCourteous = isCourteous;
    this.#latecomers = mayComeBefore ? groups.map(() => []) : undefined;
    this.#groups = groups;
    this.#domains = domains;
    this.#admission = admission;
    this.#eligible = new EligibleDomains(domains, admission);
    this.#counts = groups.map(() => ({
      members: [],
      repelling: [],
      spreading: [],
      total: 0,
      bound: 0,
      isStarted: false,
    }));
  }

  /** Makes a new host known. */
  addHost(place: Place): void {
    this.#hosts.push(place);
  }

  /** Forgets the host made known last. */
  removeHost(): void {
    this.#hosts.pop();
  }

  /** Counts a pod that runs. `move` as in PodColumns; `settleMoves` has to follow. */
  addBound({ memberOf, repels }: Pick<PodClass, 'memberOf' | 'repels'>, place: Place, move: number): void {
    for (const index of memberOf) {
      const counts = this.#addMembers(index, place, 1);
      if (counts !== undefined) counts.bound++;
      if (move !== 0) this.#addMove(index, counts === undefined ? undefined : place, move);
    }
    for (const index of repels) this.#mark('repelling', index, place, 1);
  }

  /** `place` is undefined where the group does not count it. */
  #addMove(index: number, place: Place | undefined, move: number): void {
    const counts = this.#counts[index];
    const group = this.#groups[index];
    if (counts === undefined || group === undefined) return;
    const moves = (counts.moves ??= { leavers: 0, comers: 0, moving: [], coming: [], passing: [] });
    if (move === LEAVES) moves.leavers++;
    else moves.comers++;
    if (place === undefined) return;
    this.#increase(moves.moving, group, place, 1);
    if (move !== LEAVES) this.#increase(moves.coming, group, place, 1);
  }

  /** Counts pods that move once, wherever they are on their way; after the last pod that runs. */
  settleMoves(): void {
    for (const { members, moves } of this.#counts) {
      if (moves === undefined) continue;
      const { leavers, comers, moving, coming, passing } = moves;
      for (const [domain, pods = 0] of moving.entries()) {
        const most = Math.min(Math.max(leavers, comers), pods);
        members[domain] = (members[domain] ?? 0) - (pods - most);
        passing[domain] = most - (coming[domain] ?? 0);
      }
    }
  }

  /** Counts `n` pods as placed. */
  add(pods: Pick<PodClass, 'memberOf' | 'repels' | 'spreads' | 'asks'>, place: Place, n: number): void {
    for (const index of pods.memberOf) {
      if (this.#addMembers(index, place, n) !== undefined) this.#addLatecomers(pods, index, place, n);
    }
    for (const index of pods.repels) this.#mark('repelling', index, place, n);
    for (const index of pods.spreads) this.#mark('spreading', index, place, n);
    if (n > 0 && this.#lateStarts.length > 0) this.#hurryStarts(pods, place);
  }

  /** The first of a kind has to be bound before a pod elsewhere that belongs to its groups and does not wait for it. */
  #hurryStarts({ memberOf, asks }: Pick<PodClass, 'memberOf' | 'asks'>, place: Place): void {
    const waitsFor = new Set(asks[0]?.affinity.map(({ group }) => group.index));
    const hurried = this.#lateStarts.filter((start) =>
      start.groups.some(
        ({ index, topologyKey }) =>
          memberOf.includes(index) &&
          !waitsFor.has(index) &&
          this.#domains.at(topologyKey, place) !== this.#domains.at(topologyKey, start.place),
      ),
    );
    if (hurried.length === 0) return;
    this.#lateStarts = this.#lateStarts.filter((start) => !hurried.includes(start));
    for (const start of hurried) this.#bindFirst(start.pods, start.place);
  }

  /** Counts them as pods that may be bound after those with the group's spread, where they may be. */
  #addLatecomers({ asks }: Pick<PodClass, 'asks'>, index: number, place: Place, n: number): void {
    const group = this.#groups[index];
    const latecomers = this.#latecomers?.[index];
    if (group === undefined || latecomers === undefined) return;
    const spread = asks[0]?.spread ?? [];
    if (spread.every((own) => this.#isBoundBefore(group, own.group)))
      this.#increase(latecomers, group, place, n);
  }

  /** The counts of a group that the place counts for. */
  #addMembers(index: number, place: Place, n: number): Counts | undefined {
    const counts = this.#counts[index];
    const group = this.#groups[index];
    if (counts === undefined || group === undefined || !this.#eligible.counts(group, place)) return undefined;
    if (this.#domains.at(group.topologyKey, place) === NO_DOMAIN) return undefined;
    this.#increase(counts.members, group, place, n);
    counts.total += n;
    return counts;
  }

  /** Whether pods with spread over one group come before those with the other, so that they never wait for each other. */
  #isBoundBefore(group: TopologyGroup, other: TopologyGroup): boolean {
    const [own, others] = [this.#domainsOf(group), this.#domainsOf(other)];
    return own === others ? group.topologyKey > other.topologyKey : own < others;
  }

  #domainsOf({ topologyKey, isHostname }: TopologyGroup): number {
    return isHostname ? Infinity : this.#domains.count(topologyKey);
  }

  /** Notes in which groups a pod that is about to be counted is the first of its kind; it is no latecomer then. */
  start(pods: PodClass, ask: Ask, place: Place): void {
    if (!this.#startsBeforeOthers(ask, place)) return;
    const isLate = this.#mayStartAfterSpread(ask, place);
    const groups = ask.affinity.flatMap(({ group }) =>
      this.#at('members', group, place) === 0 ? group : [],
    );
    for (const { index } of groups) {
      const counts = this.#counts[index];
      if (counts !== undefined) counts.isStarted = true;
    }
    if (isLate) this.#lateStarts = [...this.#lateStarts, { pods, place, groups }];
    else this.#bindFirst(pods, place);
  }

  #bindFirst(pods: PodClass, place: Place): void {
    this.#first.set(place, [...(this.#first.get(place) ?? []), pods]);
    this.#expect(pods, place, 1);
  }

  /** Counts the pods at a place that are the first of their kind as no latecomers, or with -1 no more, while it changes. */
  expectFirst(place: Place, sign: 1 | -1): void {
    for (const pods of this.#first.get(place) ?? []) this.#expect(pods, place, sign);
  }

  /** No pod of the class is left at the place. */
  forgetFirst(pods: PodClass, place: Place): void {
    this.#lateStarts = this.#lateStarts.filter((start) => start.pods !== pods || start.place !== place);
    const first = this.#first.get(place);
    if (first?.includes(pods) !== true) return;
    this.#first.set(
      place,
      first.filter((each) => each !== pods),
    );
    this.#expect(pods, place, -1);
  }

  #expect(pods: PodClass, place: Place, n: number): void {
    for (const index of pods.memberOf) {
      const group = this.#groups[index];
      if (group !== undefined && this.#eligible.counts(group, place))
        this.#addLatecomers(pods, index, place, -n);
    }
  }

  #mark(which: 'repelling' | 'spreading', index: number, place: Place, n: number): void {
    const counts = this.#counts[index];
    const group = this.#groups[index];
    if (counts === undefined || group === undefined) return;
    this.#increase(counts[which], group, place, n);
    if (which === 'repelling' && group.isHostname && this.#repellingHosts !== undefined)
      enterGroup(this.#repellingHosts, this.#domains.at(HOSTNAME, place), index);
  }

  #findRepellingHosts(): Map<number, Set<number>> {
    const found = new Map<number, Set<number>>();
    for (const { isHostname, index } of this.#groups) {
      if (!isHostname) continue;
      this.#counts[index]?.repelling.forEach((count, host) => {
        if (count > 0) enterGroup(found, host, index);
      });
    }
    return found;
  }

  #increase(counts: number[], group: TopologyGroup, place: Place, n: number): void {
    const domain = this.#domains.at(group.topologyKey, place);
    if (domain >= 0) counts[domain] = (counts[domain] ?? 0) + n;
  }

  /** Members of a group that run or are placed, over all domains. */
  total(group: number): number {
    return this.#counts[group]?.total ?? 0;
  }

  /** Members of a group in one domain, at most, while some move. */
  members(group: number, domain: number): number {
    return this.#counts[group]?.members[domain] ?? 0;
  }

  /** Members of a group in one domain once all have moved. */
  settled(group: number, domain: number): number {
    const counts = this.#counts[group];
    const members = counts?.members[domain] ?? 0;
    return counts?.moves === undefined ? members : members - (counts.moves.passing[domain] ?? 0);
  }

  /** The first rule that forbids one more pod of the class at this place, or undefined. */
  violated(pods: PodClass, ask: Ask, place: Place): Reason | undefined {
    const apart = this.affinityViolated(pods, ask, place);
    if (apart !== undefined) return apart;
    const uneven = this.spreadViolated(ask, place);
    if (uneven !== undefined && !this.#mayComeFirst(ask, place)) return uneven;
    const isCourteous = this.#isCourteous && ask.strictness !== 'last resort';
    // What is bound before pods with spread must leave them room.
    const isEarly =
      uneven !== undefined ||
      (this.#startsBeforeOthers(ask, place) && !this.#mayStartAfterSpread(ask, place));
    return isCourteous || isEarly ? this.#discourteous(pods, ask, place) : undefined;
  }

  /** The first of the pod's own spread rules that forbids the place (PodTopologySpread). */
  spreadViolated(ask: Ask, place: Place): Reason | undefined {
    return ask.spread.find((rule) => !this.#spreadAllows(rule, ask, place))?.reason;
  }

  /**
   * Whether the pod's own spread allows the place before those are bound that may come after it. `mayBeCompany`: whether
   * these may be pods that it must be beside, which are bound before it then.
   */
  #mayComeFirst(ask: Ask, place: Place, mayBeCompany = true): boolean {
    const latecomers = this.#latecomers;
    if (latecomers === undefined) return false;
    return ask.spread.every((rule) => {
      const { index, topologyKey } = rule.group;
      const later = latecomers[index]?.[this.#domains.at(topologyKey, place)] ?? 0;
      const company = mayBeCompany ? 0 : this.#company(rule, ask, later);
      return this.#spreadAllows(rule, ask, place, later - company);
    });
  }

  /** Of so many pods in a domain of the spread, at most how many must be there first because of affinity. */
  #company({ group }: SpreadRule, { affinity }: Ask, later: number): number {
    const isFiner = affinity.some((own) => this.#domainsOf(own.group) > this.#domainsOf(group));
    return isFiner ? later : Math.min(later, affinity.length);
  }

  /**
   * Whether a pod that the rules allow at a place is within its spread only if it is bound before others there, although it
   * may have to wait for these: then the proof finds an order over the domains that there are only.
   */
  reliesOnOrder(ask: Ask, place: Place): boolean {
    if (this.#latecomers === undefined || ask.spread.length === 0 || ask.affinity.length === 0) return false;
    return this.spreadViolated(ask, place) !== undefined && !this.#mayComeFirst(ask, place, false);
  }

  /** The first rule of affinity or anti-affinity, of the pod or of others against it, that forbids the place (InterPodAffinity). */
  affinityViolated(pods: PodClass, ask: Ask, place: Place): Reason | undefined {
    const repelled = pods.repelledBy.length === 0 ? undefined : this.#repelled(pods, place);
    if (repelled !== undefined) return repelled.reason;
    for (const { group, reason } of ask.antiAffinity)
      if (this.#at('members', group, place) > 0) return reason;
    return ask.affinity.length === 0 ? undefined : this.#apart(ask, place);
  }

  /** The first anti-affinity of pods there that keeps the class away. Of many it is asked which pods are there. */
  #repelled(pods: PodClass, place: Place): AffinityRule | undefined {
    const isThere = ({ group }: AffinityRule): boolean => this.#at('repelling', group, place) > 0;
    if (pods.repelledBy.length <= FEW_RULES) return pods.repelledBy.find(isThere);
    const { byHost, others } = this.#repellersOf(pods);
    this.#repellingHosts ??= this.#findRepellingHosts();
    for (const index of this.#repellingHosts.get(this.#domains.at(HOSTNAME, place)) ?? NO_GROUPS) {
      const rule = byHost.get(index);
      if (rule !== undefined && isThere(rule)) return rule;
    }
    return others.find(isThere);
  }

  #repellersOf(pods: PodClass): Repellers {
    const known = this.#repellers.get(pods.repelledBy);
    if (known !== undefined) return known;
    const isByHost = ({ group }: AffinityRule): boolean => group.isHostname;
    const byHost = new Map(pods.repelledBy.filter(isByHost).map((rule) => [rule.group.index, rule]));
    const made = { byHost, others: pods.repelledBy.filter((rule) => !isByHost(rule)) };
    this.#repellers.set(pods.repelledBy, made);
    return made;
  }

  #at(which: 'members' | 'repelling' | 'spreading', group: TopologyGroup, place: Place): number {
    const domain = this.#domains.at(group.topologyKey, place);
    return domain < 0 ? 0 : (this.#counts[group.index]?.[which][domain] ?? 0);
  }

  /**
   * Required affinity: a member in the domain; or, when no pod anywhere is one, the pod may be the first of its own
   * kind (InterPodAffinity filter).
   */
  #apart(ask: Ask, place: Place): Reason | undefined {
    if (ask.affinity.length === 0) return undefined;
    const first = ask.startsAffinity && ask.affinity.every(({ group }) => this.#mayStart(group));
    for (const { group, reason } of ask.affinity) {
      const domain = this.#domains.at(group.topologyKey, place);
      if (domain === NO_DOMAIN) return reason;
      if (!first && this.#at('members', group, place) === 0) return reason;
    }
    return undefined;
  }

  /** Whether a pod may be the first of its kind in a group: none is there, or those that are may be bound after it. */
  #mayStart({ index }: TopologyGroup): boolean {
    const counts = this.#counts[index];
    if (counts === undefined || counts.total === 0) return true;
    return this.#latecomers !== undefined && counts.bound === 0 && !counts.isStarted;
  }

  /** Whether a pod that its affinity allows there is the first of its kind, before which others may be placed already. */
  #startsBeforeOthers({ affinity }: Ask, place: Place): boolean {
    if (this.#latecomers === undefined) return false;
    return affinity.some(({ group }) => this.#at('members', group, place) === 0);
  }

  /** Whether the first of its kind has no other of its kind before it that waits for it, and may wait for pods with spread itself. */
  #mayStartAfterSpread({ affinity }: Ask, place: Place): boolean {
    return (
      this.#mayStartLate &&
      affinity.every(({ group }) => this.#at('members', group, place) > 0 || this.total(group.index) === 0)
    );
  }

  /** Keeps the spread of pods already there when a pod that they count, but that has no such rule, joins them. */
  #discourteous(pods: PodClass, ask: Ask, place: Place): Reason | undefined {
    for (const rule of pods.courtesies) {
      // Hosts are too many to be balanced: one without such pods may hold any number.
      const balanced = ask.strictness === 'balanced' && !rule.group.isHostname;
      const concerned = balanced || this.#at('spreading', rule.group, place) > 0;
      const matters = concerned && this.#eligible.counts(rule.group, place);
      if (matters && !this.#spreadAllows(rule, ask, place)) return rule.reason;
    }
    return undefined;
  }

  /** Room for pods of a spread rule at a place: how many more the rule allows now. */
  spreadRoom(rule: SpreadRule, ask: Ask, place: Place): number {
    const domain = this.#domains.at(rule.group.topologyKey, place);
    if (domain === NO_DOMAIN) return 0;
    const here = domain === NEW_HOST ? 0 : this.members(rule.group.index, domain);
    return rule.maxSkew + this.#floor(rule, ask) - here;
  }

  /** `later`: members there that are bound after the pod. */
  #spreadAllows(rule: SpreadRule, ask: Ask, place: Place, later = 0): boolean {
    const room = this.spreadRoom(rule, ask, place) + later;
    const known = this.#domains.at(rule.group.topologyKey, place) !== NO_DOMAIN;
    return known && room >= rule.self;
  }

  /** The least count over the eligible domains (global minimum of PodTopologySpread). */
  #floor(rule: SpreadRule, ask: Ask): number {
    const { group, minDomains } = rule;
    if (group.isHostname) return ask.strictness === 'last resort' ? this.#hostFloor(rule) : 0;
    const eligible = this.eligibleDomains(rule);
    if (eligible.length < minDomains) return 0;
    let floor = Infinity;
    for (const domain of eligible) floor = Math.min(floor, this.settled(group.index, domain));
    return Number.isFinite(floor) ? floor : 0;
  }

  #hostFloor(rule: SpreadRule): number {
    const { group, minDomains } = rule;
    let floor = Infinity;
    const hosts = new Set<number>();
    for (const place of this.#hosts) {
      if (!this.#eligible.counts(group, place)) continue;
      const host = this.#domains.at(group.topologyKey, place);
      hosts.add(host);
      floor = Math.min(floor, this.settled(group.index, host));
    }
    return hosts.size < minDomains || hosts.size === 0 ? 0 : floor;
  }

  /**
   * Whether a new node of a column would be a domain without a pod where pods placed by the rule as a last resort are more
   * than its skew allows beside one.
   */
  breaksByNewDomain(rule: SpreadRule, column: number): boolean {
    const domain = this.newDomain(rule, column);
    if (domain === NO_DOMAIN) return false;
    const isNew = domain === NEW_HOST || !this.eligibleDomains(rule).includes(domain);
    return isNew && this.isBrokenByEmpty(rule);
  }

  /** The domain that a new node of a column would be, NEW_HOST for a host; NO_DOMAIN where the rule does not look at it. */
  newDomain({ group, reach }: SpreadRule, column: number): number {
    const place = { target: NEW_HOST, column };
    if (reach !== undefined && !this.#admission.at(reach, place)) return NO_DOMAIN;
    if (!this.#eligible.counts(group, place)) return NO_DOMAIN;
    return group.isHostname ? NEW_HOST : this.#domains.at(group.topologyKey, place);
  }

  /** Whether some domain has more members than the rule allows beside one without. */
  isBrokenByEmpty(rule: SpreadRule): boolean {
    return this.#most(rule) > rule.maxSkew;
  }

  /** The most members in a domain that counts for a rule. */
  #most({ group }: SpreadRule): number {
    let most = 0;
    for (const host of this.#hosts)
      if (this.#eligible.counts(group, host)) most = Math.max(most, this.#at('members', group, host));
    return most;
  }

  /** Domains that count for a rule: those of nodes and claims that it looks at, and those that could be launched in. */
  eligibleDomains(rule: SpreadRule): readonly number[] {
    const fixed = this.#eligible.of(rule, this.#hosts);
    if (rule.launchable === undefined) return fixed;
    const found = new Set(fixed);
    for (const host of this.#hosts) {
      if (host.column >= 0 && this.#eligible.counts(rule.group, host))
        found.add(this.#domains.at(rule.group.topologyKey, host));
    }
    return [...found];
  }

  /** Whether a rule of others finds more pods at a place than it allows, by the state as it is. */
  isCrowded(rule: SpreadRule, ask: Ask, place: Place): boolean {
    return this.#eligible.counts(rule.group, place) && this.spreadRoom(rule, ask, place) < 0;
  }
}

function enterGroup(byHost: Map<number, Set<number>>, host: number, group: number): void {
  const known = byHost.get(host);
  if (known === undefined) byHost.set(host, new Set([group]));
  else known.add(group);
}
