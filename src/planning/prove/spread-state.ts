/** One spread constraint while the pods of a deadlock group are bound one after the other. */
import type { PlannedCluster, Stand } from './planned-cluster.js';
import { NOWHERE, type TightSpread } from './spread-proof.js';
import { boundPods } from './wait-rules.js';

const NO_DOMAINS: readonly number[] = [];

export class SpreadState {
  readonly #maxSkew: number;
  /** Whether there are fewer domains than minDomains: then the least count is 0. */
  readonly #isShort: boolean;
  /** Least count of domains that no stand is in; these stay as they are. */
  readonly #elsewhere: number;
  /** Domain of the group → matching pods: at least, where a claim may land elsewhere, and at most. */
  readonly #least: Int32Array;
  readonly #most: Int32Array;
  readonly #exists: Uint8Array;
  /** Stand → whether its pods are counted, the domains that count them, and whether they surely do. */
  readonly #isMember: readonly boolean[];
  readonly #counted: readonly (readonly number[])[];
  readonly #isCertain: readonly boolean[];
  /** Stand → the domains in which its pods must keep to the constraint. */
  readonly #held: readonly (readonly number[])[];

  constructor(spread: TightSpread, stands: readonly Stand[], standsOf: PlannedCluster['standsOf']) {
    const { question, view } = spread;
    const { constraint, members, carriers } = question;
    const numbers = new Map<number, number>();
    const numberOf = (domain: number): number => {
      const number = numbers.get(domain) ?? numbers.size;
      numbers.set(domain, number);
      return number;
    };
    const isCarrier = new Set(carriers);
    this.#maxSkew = constraint.maxSkew;
    this.#isShort = view.certain < constraint.minDomains;
    this.#isMember = stands.map(({ spec }) => members.has(spec));
    const looked = stands.map(({ place }) => view.places[place.index] ?? NOWHERE);
    this.#counted = looked.map(({ domains }) => domains.map(numberOf));
    this.#isCertain = looked.map(({ isCertain }) => isCertain);
    this.#held = stands.map(({ spec, place }) =>
      isCarrier.has(spec) ? view.domains.of(place).map(numberOf) : NO_DOMAINS,
    );
    const size = numbers.size;
    this.#least = new Int32Array(size);
    this.#most = new Int32Array(size);
    this.#exists = new Uint8Array(size);
    const bound = boundPods(spread, standsOf);
    let elsewhere = Infinity;
    for (let domain = 0; domain < bound.length; domain++) {
      if (view.exists[domain] !== 1) continue;
      const number = numbers.get(domain);
      if (number === undefined) elsewhere = Math.min(elsewhere, bound[domain] ?? 0);
      else
        [this.#exists[number], this.#least[number], this.#most[number]] = [
          1,
          bound[domain] ?? 0,
          bound[domain] ?? 0,
        ];
    }
    this.#elsewhere = elsewhere;
  }

  add(stand: number, pods: number): void {
    if (this.#isMember[stand] !== true) return;
    for (const domain of this.#counted[stand] ?? NO_DOMAINS) {
      this.#most[domain] = (this.#most[domain] ?? 0) + pods;
      if (this.#isCertain[stand] === true) this.#least[domain] = (this.#least[domain] ?? 0) + pods;
    }
  }

  /** The least count of all domains. */
  floor(): number {
    if (this.#isShort) return 0;
    let least = this.#elsewhere;
    for (let domain = 0; domain < this.#least.length; domain++)
      if (this.#exists[domain] === 1) least = Math.min(least, this.#least[domain] ?? 0);
    return least;
  }

  admits(stand: number): boolean {
    const held = this.#held[stand] ?? NO_DOMAINS;
    if (held.length === 0) return true;
    const self = this.#isMember[stand] === true ? 1 : 0;
    const most = this.#maxSkew + this.floor();
    return held.every((domain) => (this.#most[domain] ?? 0) + self <= most);
  }

  /** Whether the domains of the stand hold no more than is allowed above a least count. */
  keepsTo(floor: number, stand: number): boolean {
    const held = this.#held[stand] ?? NO_DOMAINS;
    return held.every((domain) => (this.#most[domain] ?? 0) <= this.#maxSkew + floor);
  }
}
