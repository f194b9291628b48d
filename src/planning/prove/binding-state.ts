/** How many pods of each stand are bound, which of the others some rules let in now, and an order in which all can be. */
import type { BindOrder } from './bind-order.js';
import { AffinityState } from './affinity-state.js';
import type { PlannedCluster, Stand } from './cluster/planned-cluster.js';
import type { AffinityQuestion } from './proof-memory.js';
import { NOWHERE, type SpreadLook } from './spread-proof.js';
import { MISSING, type DomainTable } from './cluster/topology-domains.js';
import { boundPods } from './wait-rules.js';

const NO_DOMAINS: readonly number[] = [];

/** Rules that pods on these stands have or are counted by; no pods on other stands are still to be bound that they count. */
export interface BoundTogether {
  readonly rules: readonly {
    readonly spread: SpreadLook | undefined;
    readonly affinity: AffinityQuestion | undefined;
  }[];
  readonly stands: readonly Stand[];
}

/** A stand that pods wait for. */
interface Need {
  /** Index of the stand. */
  readonly stand: number;
  /** Of its pods, in their order, so many contain all that are waited for; and so many are waited for. */
  readonly first: number;
  readonly pods: number;
}

export class BindingState {
  readonly stands: readonly Stand[];
  /** Stand → its pods that are bound, the first ones. */
  readonly bound: Int32Array;
  readonly #spreads: readonly SpreadState[];
  readonly #affinities: readonly AffinityState[];
  readonly #needs: readonly (readonly Need[])[];

  constructor(
    { rules, stands }: BoundTogether,
    { standsOf, snapshot }: PlannedCluster,
    { domains, order }: { readonly domains: DomainTable; readonly order: BindOrder },
  ) {
    this.stands = stands;
    this.bound = new Int32Array(stands.length);
    this.#spreads = rules.flatMap(({ spread }) =>
      spread === undefined ? [] : new SpreadState(spread, stands, standsOf),
    );
    this.#affinities = rules.flatMap(({ affinity }) =>
      affinity === undefined ? [] : new AffinityState(affinity, domains).enterBound(standsOf),
    );
    this.#needs = needsOf(stands, snapshot.pods.keys, order);
  }

  /** Binds so many more pods of a stand; fewer where negative. */
  add(stand: number, pods: number): void {
    this.bound[stand] = (this.bound[stand] ?? 0) + pods;
    for (const spread of this.#spreads) spread.add(stand, pods);
    const at = this.stands[stand];
    if (at !== undefined) for (const affinity of this.#affinities) affinity.enter(at.spec, at.place, pods);
  }

  /** Unbinds all. */
  clear(): void {
    for (const stand of this.bound.keys()) this.add(stand, -(this.bound[stand] ?? 0));
  }

  /** Pods of the stand that are not bound. */
  left(stand: number): number {
    return (this.stands[stand]?.placed.length ?? 0) - (this.bound[stand] ?? 0);
  }

  /** Whether a pod of the stand may be bound now. */
  admits(stand: number): boolean {
    const at = this.stands[stand];
    return (
      at !== undefined &&
      this.#needs[stand]?.every((need) => (this.bound[need.stand] ?? 0) >= need.first) !== false &&
      this.#affinities.every((affinity) => affinity.admits(at.spec, at.place)) &&
      this.#spreads.every((spread) => spread.admits(stand))
    );
  }

  /** The same where any pods of a stand may be bound, not the first ones; false where it depends on which. */
  surelyAdmits(stand: number): boolean {
    return this.#needs[stand]?.every((need) => this.left(need.stand) === 0) !== false && this.admits(stand);
  }

  /** Whether pods are bound only where what they wait for may be. */
  get isInOrder(): boolean {
    return this.#needs.every(
      (needs, stand) =>
        this.bound[stand] === 0 || needs.every((need) => (this.bound[need.stand] ?? 0) >= need.pods),
    );
  }

  /** Whether a pod of the stand would be the first of its group, which only one may be at a time. */
  begins(stand: number): boolean {
    const at = this.stands[stand];
    return at !== undefined && this.#affinities.some((affinity) => affinity.begins(at.spec, at.place));
  }

  /** The least counts that spread looks at now. */
  floors(): readonly number[] {
    return this.#spreads.map((spread) => spread.floor());
  }

  /** Whether the pods of a stand that are bound would have been let in last, with these least counts. */
  keepsTo(floors: readonly number[], stand: number): boolean {
    return this.#spreads.every((spread, at) => spread.keepsTo(floors[at] ?? 0, stand));
  }
}

function needsOf(
  stands: readonly Stand[],
  keys: readonly string[],
  { after }: BindOrder,
): readonly (readonly Need[])[] {
  const at = new Map<string, { readonly stand: number; readonly position: number }>();
  for (const [stand, { placed }] of stands.entries())
    for (const [position, row] of placed.entries()) at.set(keys[row] ?? '', { stand, position });
  return stands.map(({ placed }) => {
    const awaited = new Set(placed.flatMap((row) => after.get(keys[row] ?? '') ?? []));
    const needs = new Map<number, Need>();
    for (const key of awaited) {
      const found = at.get(key);
      if (found === undefined) continue;
      const { stand, position } = found;
      const { first, pods } = needs.get(stand) ?? { first: 0, pods: 0 };
      needs.set(stand, { stand, first: Math.max(first, position + 1), pods: pods + 1 });
    }
    return [...needs.values()];
  });
}

/** One spread constraint while pods are bound one after the other. */
class SpreadState {
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
  /** Stand → the domains in which its pods must keep to the constraint; undefined where they may lack its label. */
  readonly #held: readonly (readonly number[] | undefined)[];

  constructor(spread: SpreadLook, stands: readonly Stand[], standsOf: PlannedCluster['standsOf']) {
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
    this.#held = stands.map(({ spec, place }) => {
      if (!isCarrier.has(spec)) return NO_DOMAINS;
      const domains = view.domains.of(place);
      return domains.includes(MISSING) ? undefined : domains.map(numberOf);
    });
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

  /** The least count of all domains but one, if any. */
  floor(without = MISSING): number {
    if (this.#isShort) return 0;
    let least = this.#elsewhere;
    for (let domain = 0; domain < this.#least.length; domain++)
      if (domain !== without && this.#exists[domain] === 1) least = Math.min(least, this.#least[domain] ?? 0);
    return least;
  }

  admits(stand: number): boolean {
    const held = this.#held[stand];
    if (held === undefined || held.length === 0) return held !== undefined;
    const self = this.#isMember[stand] === true ? 1 : 0;
    return held.every((domain) => {
      const here = this.#most[domain] ?? 0;
      return here + self <= this.#maxSkew + Math.min(here, this.floor(domain));
    });
  }

  /** Whether the domains of the stand hold no more than is allowed above a least count. */
  keepsTo(floor: number, stand: number): boolean {
    const held = this.#held[stand] ?? NO_DOMAINS;
    return held.every((domain) => (this.#most[domain] ?? 0) <= this.#maxSkew + floor);
  }
}

/**
 * An order in which all pods can be bound, by trying, with what led nowhere remembered: stands, once for each of their pods;
 * all are bound afterwards. The stands are taken in turn, so that many in a row may come in any order. undefined where there
 * is none, or none is found with so many tries.
 */
export function findOrder(state: BindingState, budget: { tries: number }): readonly number[] | undefined {
  const { stands, bound } = state;
  const order: number[] = [];
  const dead = new Set<string>();
  const extend = (last: number): boolean => {
    if (stands.every((_, stand) => state.left(stand) === 0)) return true;
    const key = bound.join();
    if (dead.has(key)) return false;
    for (let step = 1; step <= stands.length && budget.tries > 0; step++) {
      const stand = (last + step) % stands.length;
      budget.tries--;
      if (state.left(stand) === 0 || !state.admits(stand)) continue;
      state.add(stand, 1);
      order.push(stand);
      if (extend(stand)) return true;
      order.pop();
      state.add(stand, -1);
    }
    dead.add(key);
    return false;
  };
  return extend(-1) ? order : undefined;
}
