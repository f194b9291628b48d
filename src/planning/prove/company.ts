/** Specs whose required affinity asks the same, and who of those that count as company is there. */
import type { Place, PlannedCluster, Stand } from './planned-cluster.js';
import type { CompanyQuestion } from './proof-memory.js';
import { type DomainTable, MISSING, type TopologyDomains } from './topology-domains.js';

export class CompanyGroup {
  readonly question: CompanyQuestion;
  readonly members: ReadonlySet<number>;
  readonly domains: readonly TopologyDomains[];
  /** Pods of the group that wait for company, in the order of their specs. */
  waiting: Stand[];
  readonly #places = new Set<Place>();
  readonly #met: readonly Set<number>[];

  constructor(question: CompanyQuestion, domains: readonly TopologyDomains[], waiting: Stand[]) {
    this.question = question;
    this.members = question.members;
    this.domains = domains;
    this.waiting = waiting;
    this.#met = domains.map(() => new Set<number>());
  }

  /** A member is there; a domain counts once it is certain. Whether that may change what is admitted. */
  join(place: Place): boolean {
    if (this.#places.has(place)) return false;
    this.#places.add(place);
    for (const [at, domains] of this.domains.entries()) {
      const domain = domains.certain(place);
      if (domain !== MISSING) this.#met[at]?.add(domain);
    }
    return true;
  }

  /** Whether the place has all keys. */
  hasKeys(place: Place): boolean {
    return this.domains.every((domains) => !domains.of(place).includes(MISSING));
  }

  /** Whether a pod finds company in each of its domains there. */
  admits(place: Place): boolean {
    if (!this.hasKeys(place)) return false;
    if (this.#places.has(place)) return true;
    return this.domains.every((domains, at) => {
      const domain = domains.certain(place);
      return domain !== MISSING && this.#met[at]?.has(domain) === true;
    });
  }
}

/** Who is there of those that specs with the same required affinity look for, while pods are bound and taken back. */
export class CompanyTally {
  readonly #members: ReadonlySet<number>;
  readonly #carriers: ReadonlySet<number>;
  readonly #domains: readonly TopologyDomains[];
  /** Place → pods that count. */
  readonly #places = new Map<Place, number>();
  /** Term → domain → pods that count and surely are there. */
  readonly #there: readonly Int32Array[];
  /** Pods that count on places that may have one of the keys. */
  #total = 0;

  constructor(question: CompanyQuestion, domains: DomainTable, standsOf: PlannedCluster['standsOf']) {
    this.#members = question.members;
    this.#carriers = new Set(question.carriers);
    this.#domains = question.terms.map(({ topologyKey }) => domains.of(topologyKey));
    this.#there = this.#domains.map(({ count }) => new Int32Array(count));
    for (const spec of question.members)
      for (const { place, bound } of standsOf[spec] ?? []) this.enter(spec, place, bound);
  }

  /** Counts so many more pods of a spec on a place. */
  enter(spec: number, place: Place, pods: number): void {
    if (pods === 0 || !this.#members.has(spec)) return;
    this.#places.set(place, (this.#places.get(place) ?? 0) + pods);
    if (this.#domains.some((domains) => domains.of(place).some((domain) => domain !== MISSING)))
      this.#total += pods;
    for (const [term, domains] of this.#domains.entries()) {
      const [there, domain] = [this.#there[term], domains.certain(place)];
      if (there !== undefined && domain !== MISSING) there[domain] = (there[domain] ?? 0) + pods;
    }
  }

  /** Whether a pod of the spec finds company there, or may be the first of its kind. */
  admits(spec: number, place: Place): boolean {
    if (!this.#carriers.has(spec)) return true;
    if (!this.#hasKeys(place)) return false;
    if (this.#total === 0) return this.#members.has(spec);
    if ((this.#places.get(place) ?? 0) > 0) return true;
    return this.#domains.every((domains, term) => {
      const domain = domains.certain(place);
      return domain !== MISSING && (this.#there[term]?.[domain] ?? 0) > 0;
    });
  }

  /** Whether no member is anywhere yet, and the pod is one itself: it may be the first (InterPodAffinity). */
  begins(spec: number, place: Place): boolean {
    return this.#total === 0 && this.#carriers.has(spec) && this.#members.has(spec) && this.#hasKeys(place);
  }

  #hasKeys(place: Place): boolean {
    return this.#domains.every((domains) => !domains.of(place).includes(MISSING));
  }
}
