/** Pods that specs with the same required affinity look for, while pods are bound one after the other. */
import type { Place, PlannedCluster } from './cluster/planned-cluster.js';
import type { AffinityQuestion } from './proof-memory.js';
import { MISSING, type DomainTable, type TopologyDomains } from './cluster/topology-domains.js';

export class AffinityState {
  readonly question: AffinityQuestion;
  /** Term → the domains of its key. */
  readonly domains: readonly TopologyDomains[];
  readonly #carriers: ReadonlySet<number>;
  /** Place → members there. */
  readonly #places = new Map<Place, number>();
  /** Term → domain → members that surely are in it. */
  readonly #met: readonly Map<number, number>[];
  /** Members on places that may have one of the keys. */
  #total = 0;

  constructor(question: AffinityQuestion, domains: DomainTable) {
    this.question = question;
    this.domains = question.terms.map(({ topologyKey }) => domains.of(topologyKey));
    this.#carriers = new Set(question.carriers);
    this.#met = this.domains.map(() => new Map<number, number>());
  }

  /** The members that run already. */
  enterBound(standsOf: PlannedCluster['standsOf']): this {
    for (const spec of this.question.members)
      for (const { place, bound } of standsOf[spec] ?? []) this.enter(spec, place, bound);
    return this;
  }

  /** Counts so many more pods of a spec on a place; whether the first of them may be there. */
  enter(spec: number, place: Place, pods: number): boolean {
    if (pods === 0 || !this.question.members.has(spec)) return false;
    const before = this.#places.get(place) ?? 0;
    this.#places.set(place, before + pods);
    let isSomewhere = false;
    for (const [term, domains] of this.domains.entries()) {
      isSomewhere ||= domains.of(place).some((each) => each !== MISSING);
      const domain = domains.certain(place);
      const met = this.#met[term];
      if (domain !== MISSING) met?.set(domain, (met.get(domain) ?? 0) + pods);
    }
    if (isSomewhere) this.#total += pods;
    return before === 0;
  }

  /** Whether the place has all keys. */
  hasKeys(place: Place): boolean {
    return this.domains.every((domains) => !domains.of(place).includes(MISSING));
  }

  /** Whether a pod finds a member in each of its domains there. */
  isAt(place: Place): boolean {
    if (!this.hasKeys(place)) return false;
    if ((this.#places.get(place) ?? 0) > 0) return true;
    return this.domains.every((domains, term) => {
      const domain = domains.certain(place);
      return domain !== MISSING && (this.#met[term]?.get(domain) ?? 0) > 0;
    });
  }

  /** Whether a pod of the spec finds what it needs there, or may be the first of its kind. */
  admits(spec: number, place: Place): boolean {
    if (!this.#carriers.has(spec)) return true;
    return this.#total === 0 ? this.begins(spec, place) : this.isAt(place);
  }

  /** Whether no member is anywhere yet, and the pod is one itself: it may be the first (InterPodAffinity). */
  begins(spec: number, place: Place): boolean {
    const isMember = this.#carriers.has(spec) && this.question.members.has(spec);
    return this.#total === 0 && isMember && this.hasKeys(place);
  }
}
