/**
 * Whether pods are kept from those that they or the others repel, and find those that they need, in an order of binding
 * that can be kept: where a pod may be the first of its group only before others are bound, these wait for it.
 */
import type { PodAffinityTerm } from '../../domain/affinity.js';
import { selectorKey } from '../../domain/label-selector.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { scopeKey } from '../snapshot/spec-key.js';
import type { BindOrder } from './bind-order.js';
import type { Place, PlannedCluster, Stand } from './planned-cluster.js';
import type { Refutation } from './refutation.js';
import type { SpecIndex } from './spec-index.js';

/** Specs whose required affinity asks the same; those that count as company for all of its terms; who of these is there. */
class Group {
  readonly terms: readonly PodAffinityTerm[];
  readonly members: ReadonlySet<number>;
  readonly #places = new Set<Place>();
  readonly #domains: readonly Set<string>[];

  constructor(terms: readonly PodAffinityTerm[], members: ReadonlySet<number>) {
    this.terms = terms;
    this.members = members;
    this.#domains = terms.map(() => new Set<string>());
  }

  /** A member is there; a domain counts once it is certain. */
  join(place: Place): void {
    this.#places.add(place);
    for (const [at, { topologyKey }] of this.terms.entries()) {
      const value = place.value(topologyKey);
      if (value !== undefined) this.#domains[at]?.add(value);
    }
  }

  /** Whether the place has all keys. */
  hasKeys(place: Place): boolean {
    return this.terms.every(({ topologyKey }) => !place.values(topologyKey).includes(undefined));
  }

  /** Whether a pod finds company in each of its domains there. */
  admits(place: Place): boolean {
    if (!this.hasKeys(place)) return false;
    if (this.#places.has(place)) return true;
    return this.terms.every(({ topologyKey }, at) => {
      const value = place.value(topologyKey);
      return value !== undefined && this.#domains[at]?.has(value) === true;
    });
  }
}

interface Matching {
  readonly placed: number;
  readonly bound: number;
}

/** Pods of one spec on one place that look for company. */
interface Seeker {
  readonly group: Group;
  readonly spec: number;
  readonly place: Place;
  readonly rows: readonly number[];
}

export class CompanyProof {
  readonly #order: BindOrder;
  readonly #cluster: PlannedCluster;
  readonly #snapshot: Snapshot;
  readonly #index: SpecIndex;
  readonly #found: Refutation[] = [];

  constructor(cluster: PlannedCluster, index: SpecIndex, order: BindOrder) {
    this.#order = order;
    this.#cluster = cluster;
    this.#snapshot = cluster.snapshot;
    this.#index = index;
  }

  check(): readonly Refutation[] {
    this.#checkRepelled();
    this.#checkCompany();
    return this.#found;
  }

  #keys(rows: readonly number[]): readonly string[] {
    return rows.map((row) => this.#snapshot.pods.keys[row] ?? '');
  }

  /** No two pods share a domain of which one repels the other, unless both ran before. */
  #checkRepelled(): void {
    const terms = new Map<string, { readonly term: PodAffinityTerm; readonly carriers: number[] }>();
    for (const [index, { podAntiAffinity }] of this.#snapshot.specs.entries()) {
      if (this.#cluster.placesOf[index]?.length === 0) continue;
      for (const term of podAntiAffinity.required) {
        const key = termText(term);
        const known = terms.get(key);
        if (known === undefined) terms.set(key, { term, carriers: [index] });
        else known.carriers.push(index);
      }
    }
    for (const { term, carriers } of terms.values()) this.#checkTerm(term, carriers);
  }

  #checkTerm(term: PodAffinityTerm, carriers: readonly number[]): void {
    const members = this.#index.matched(term);
    const counts = this.#countMatching(term, members);
    const isMember = new Set(members);
    for (const spec of carriers) {
      const self = isMember.has(spec) ? 1 : 0;
      for (const place of this.#cluster.placesOf[spec] ?? []) {
        const { placed, bound } = place.stand(spec);
        const meets = place.values(term.topologyKey).some((value) => {
          const count = value === undefined ? undefined : counts.get(value);
          if (count === undefined) return false;
          if (placed.length > 0 && count.placed + count.bound > self) return true;
          return bound > 0 && count.placed > 0;
        });
        if (meets) this.#refuteRepelled(term, place, placed, members);
      }
    }
  }

  /** Matching pods per domain, claims counted wherever they may land. */
  #countMatching(
    { topologyKey }: PodAffinityTerm,
    members: readonly number[],
  ): ReadonlyMap<string, Matching> {
    const counts = new Map<string, Matching>();
    const add = (value: string, placed: number, bound: number): void => {
      const count = counts.get(value) ?? { placed: 0, bound: 0 };
      counts.set(value, { placed: count.placed + placed, bound: count.bound + bound });
    };
    const addAll = (place: Place, { placed, bound }: Stand): void => {
      for (const value of place.values(topologyKey))
        if (value !== undefined) add(value, placed.length, bound);
    };
    for (const spec of members)
      for (const place of this.#cluster.placesOf[spec] ?? []) addAll(place, place.stand(spec));
    return counts;
  }

  /** Where a pod that runs repels them, those that the plan puts beside it are to blame. */
  #refuteRepelled(
    term: PodAffinityTerm,
    place: Place,
    placed: readonly number[],
    members: readonly number[],
  ): void {
    const values = new Set(place.values(term.topologyKey));
    const others = members.flatMap((spec) =>
      (this.#cluster.placesOf[spec] ?? [])
        .filter((other) => other.values(term.topologyKey).some((value) => values.has(value)))
        .flatMap((other) => other.stand(spec).placed),
    );
    const rows = placed.length > 0 ? placed : others;
    const detail = `${place.name}: with a pod that is repelled by ${term.topologyKey}`;
    this.#found.push({ rule: 'podAntiAffinity', pods: this.#keys(rows), detail });
  }

  /** Lets the pods come: those that need no company first, then all that find some, then the first of a group. */
  #checkCompany(): void {
    let waiting = this.#seekers();
    if (waiting.length === 0) return;
    const groups = [...new Set(waiting.map(({ group }) => group))];
    const arrive = (spec: number, place: Place): void => {
      for (const group of groups) if (group.members.has(spec)) group.join(place);
    };
    for (const [spec, place] of this.#thereAnyway(groups)) arrive(spec, place);
    while (waiting.length > 0) {
      const ready = waiting.filter(({ group, place }) => group.admits(place));
      const coming = ready.length > 0 ? ready : this.#starter(waiting);
      if (coming.length === 0) break;
      for (const { spec, place } of coming) arrive(spec, place);
      waiting = waiting.filter((seeker) => !coming.includes(seeker));
    }
    for (const seeker of waiting) this.#refuteLonely(seeker);
  }

  /** Members of the groups that run, or that need no company themselves. */
  *#thereAnyway(groups: readonly Group[]): Generator<readonly [number, Place]> {
    for (const spec of new Set(groups.flatMap(({ members }) => [...members]))) {
      const seeks = this.#snapshot.specs[spec]?.podAffinity.required.length !== 0;
      for (const place of this.#cluster.placesOf[spec] ?? [])
        if (!seeks || place.stand(spec).bound > 0) yield [spec, place];
    }
  }

  #refuteLonely({ group, place, rows }: Seeker): void {
    const keys = group.terms.map(({ topologyKey }) => topologyKey).join(', ');
    const detail = `${place.name}: no pod that its affinity asks for in its ${keys}`;
    this.#found.push({ rule: 'podAffinity', pods: this.#keys(rows), detail });
  }

  #seekers(): readonly Seeker[] {
    const byTerms = new Map<string, { terms: readonly PodAffinityTerm[]; carriers: number[] }>();
    for (const [spec, { podAffinity }] of this.#snapshot.specs.entries()) {
      if (podAffinity.required.length === 0) continue;
      const key = podAffinity.required.map(termText).sort().join();
      const known = byTerms.get(key);
      if (known === undefined) byTerms.set(key, { terms: podAffinity.required, carriers: [spec] });
      else known.carriers.push(spec);
    }
    return [...byTerms.values()].flatMap(({ terms, carriers }) => {
      const [first = [], ...more] = terms.map((term) => this.#index.matchedAsAsked(term));
      const rest = more.map((specs) => new Set(specs));
      const group = new Group(terms, new Set(first.filter((spec) => rest.every((each) => each.has(spec)))));
      return carriers.flatMap((spec) =>
        (this.#cluster.placesOf[spec] ?? [])
          .map((place) => ({ group, spec, place, rows: place.stand(spec).placed }))
          .filter(({ rows }) => rows.length > 0),
      );
    });
  }

  /**
   * A group of which no pod runs may begin with a pod that counts for it itself. Members elsewhere, which might be bound
   * before it, wait for it; the seeker for whom the fewest wait begins.
   */
  #starter(waiting: readonly Seeker[]): readonly Seeker[] {
    let best: { readonly seeker: Seeker; readonly others: readonly number[] } | undefined;
    for (const seeker of waiting) {
      const { group, spec, place } = seeker;
      if (!group.members.has(spec) || !group.hasKeys(place) || this.#isBound(group)) continue;
      const others = this.#elsewhere(seeker);
      if (best === undefined || others.length < best.others.length) best = { seeker, others };
      if (others.length === 0) break;
    }
    if (best === undefined) return [];
    const { seeker, others } = best;
    const [start = ''] = this.#keys(seeker.rows);
    if (!this.#order.add(this.#keys(others), [start])) this.#refuteLonely(seeker);
    return [seeker];
  }

  /** Whether a pod that counts for the group runs already somewhere that has one of the keys. */
  #isBound({ members, terms }: Group): boolean {
    return [...members].some((spec) =>
      (this.#cluster.placesOf[spec] ?? []).some(
        (place) =>
          place.stand(spec).bound > 0 &&
          terms.some(({ topologyKey }) => place.values(topologyKey).some((value) => value !== undefined)),
      ),
    );
  }

  /** Planned members of the group on other places, in whose domains the seeker is not. */
  #elsewhere({ group, place }: Seeker): readonly number[] {
    return [...group.members].flatMap((spec) =>
      (this.#cluster.placesOf[spec] ?? [])
        .filter((other) => !group.terms.every(({ topologyKey }) => areTogether(place, other, topologyKey)))
        .flatMap((other) => other.stand(spec).placed),
    );
  }
}

function areTogether(left: Place, right: Place, key: string): boolean {
  if (left === right) return true;
  const value = left.value(key);
  return value !== undefined && value === right.value(key);
}

function termText({ topologyKey, selector, namespaces }: PodAffinityTerm): string {
  return JSON.stringify([topologyKey, selectorKey(selector), scopeKey(namespaces)]);
}
