/** The domains of one topology key as numbers, and in which of them each place may be. */
import type { FormSet } from './form-sets.js';
import { HOSTNAME } from '../../../domain/values/labels.js';
import type { Place } from './planned-cluster.js';

/** Stands for a label that may be missing. */
export const MISSING = -1;

export class TopologyDomains {
  readonly key: string;
  readonly #ofPlace: (readonly number[])[];
  readonly #numbers = new Map<string, number>();
  #count = 0;
  readonly #names: string[] = [];

  constructor(key: string, places: readonly Place[]) {
    this.key = key;
    const ofSet = new Map<FormSet, readonly number[]>();
    this.#ofPlace = places.map((place) => {
      // The name of a node yet to come is its own.
      if (key === HOSTNAME && place.claim !== undefined) return [this.#enter(`claim ${place.name}`)];
      const known = ofSet.get(place.set);
      if (known !== undefined) return known;
      const made = place.set
        .values(key)
        .map((value) => (value === undefined ? MISSING : (this.#numbers.get(value) ?? this.#enter(value))));
      ofSet.set(place.set, made);
      return made;
    });
  }

  #enter(value: string): number {
    this.#numbers.set(value, this.#count);
    this.#names.push(value);
    return this.#count++;
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  name(domain: number): string {
    return this.#names[domain] ?? '';
  }

  /** Of a value of the label, which some place has. */
  number(value: string): number {
    return this.#numbers.get(value) ?? MISSING;
  }

  /** In which the place may be; MISSING among them where it may have no such label. */
  of({ index }: Place): readonly number[] {
    return this.#ofPlace[index] ?? [];
  }

  /** In which the place surely is; MISSING where it has no label or may have several. */
  certain(place: Place): number {
    const domains = this.of(place);
    return domains.length === 1 ? (domains[0] ?? MISSING) : MISSING;
  }
}

/** The domains of each key that is asked for. */
export class DomainTable {
  readonly #places: readonly Place[];
  readonly #byKey = new Map<string, TopologyDomains>();

  constructor(places: readonly Place[]) {
    this.#places = places;
  }

  of(key: string): TopologyDomains {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made = new TopologyDomains(key, this.#places);
    this.#byKey.set(key, made);
    return made;
  }
}
