/** One required affinity while the pods of a deadlock group are bound one after the other. */
import type { Place, PlannedCluster, Stand } from './planned-cluster.js';
import type { CompanyQuestion } from './proof-memory.js';
import { MISSING, type DomainTable } from './topology-domains.js';

interface Among {
  readonly stands: readonly Stand[];
  readonly standsOf: PlannedCluster['standsOf'];
  readonly domains: DomainTable;
}

export class CompanyState {
  readonly #stands: readonly Stand[];
  readonly #isMember: readonly boolean[];
  readonly #isCarrier: readonly boolean[];
  /** Stand → the domain of each term in which its node surely is, whether all may be there, and whether any. */
  readonly #domains: readonly (readonly number[])[];
  readonly #hasKeys: readonly boolean[];
  readonly #hasKey: readonly boolean[];
  /** Pods that are company: on a place, in a domain of each term, and on places that have any of the keys. */
  readonly #onPlace = new Map<Place, number>();
  readonly #met: readonly Map<number, number>[];
  #all = 0;

  constructor({ terms, members, carriers }: CompanyQuestion, { stands, standsOf, domains }: Among) {
    const keys = terms.map(({ topologyKey }) => domains.of(topologyKey));
    const seekers = new Set(carriers);
    const domainsOf = (place: Place): readonly number[] => keys.map((key) => key.certain(place));
    const hasKey = (place: Place): boolean =>
      keys.some((key) => key.of(place).some((domain) => domain !== MISSING));
    this.#stands = stands;
    this.#isMember = stands.map(({ spec }) => members.has(spec));
    this.#isCarrier = stands.map(({ spec }) => seekers.has(spec));
    this.#domains = stands.map(({ place }) => domainsOf(place));
    this.#hasKeys = stands.map(({ place }) => keys.every((key) => !key.of(place).includes(MISSING)));
    this.#hasKey = stands.map(({ place }) => hasKey(place));
    this.#met = keys.map(() => new Map<number, number>());
    for (const spec of members)
      for (const { place, bound } of standsOf[spec] ?? [])
        if (bound > 0) this.#enter({ place, domains: domainsOf(place), hasKey: hasKey(place) }, bound);
  }

  add(stand: number, pods: number): void {
    const place = this.#stands[stand]?.place;
    if (this.#isMember[stand] !== true || place === undefined) return;
    const [domains, hasKey] = [this.#domains[stand] ?? [], this.#hasKey[stand] === true];
    this.#enter({ place, domains, hasKey }, pods);
  }

  admits(stand: number): boolean {
    if (this.#isCarrier[stand] !== true) return true;
    if (this.#hasKeys[stand] !== true) return false;
    const place = this.#stands[stand]?.place;
    if (place !== undefined && (this.#onPlace.get(place) ?? 0) > 0) return true;
    const isMet = (this.#domains[stand] ?? []).every(
      (domain, term) => domain !== MISSING && (this.#met[term]?.get(domain) ?? 0) > 0,
    );
    return isMet || this.begins(stand);
  }

  /** Whether no member is anywhere yet, and the pod is one itself: it may be the first (InterPodAffinity). */
  begins(stand: number): boolean {
    return (
      this.#isCarrier[stand] === true &&
      this.#isMember[stand] === true &&
      this.#hasKeys[stand] === true &&
      this.#all === 0
    );
  }

  #enter({ place, domains, hasKey }: Entered, pods: number): void {
    this.#onPlace.set(place, (this.#onPlace.get(place) ?? 0) + pods);
    for (const [term, domain] of domains.entries())
      if (domain !== MISSING) this.#met[term]?.set(domain, (this.#met[term].get(domain) ?? 0) + pods);
    if (hasKey) this.#all += pods;
  }
}

interface Entered {
  readonly place: Place;
  readonly domains: readonly number[];
  readonly hasKey: boolean;
}
