/** Specs whose required affinity asks the same, and who of those that count as company is there. */
import type { Place, Stand } from './planned-cluster.js';
import type { CompanyQuestion } from './proof-memory.js';
import { MISSING, type TopologyDomains } from './topology-domains.js';

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
