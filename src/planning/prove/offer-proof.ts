/** Whether what a claim lists can be launched, and keeps as many values open as its pool's minValues ask. */
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/values/labels.js';
import { minValuesShortfall } from '../../domain/values/min-values.js';
import { requirementsOf, type Requirements } from '../../domain/values/requirements.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';
import type { Form, FormSet } from './cluster/form-sets.js';
import type { Place, PlannedCluster } from './cluster/planned-cluster.js';
import type { Refutation } from './refutation.js';

export type OfferFault = Pick<Refutation, 'rule' | 'detail'>;

export class OfferProof {
  readonly #cluster: PlannedCluster;
  /** What the pool of a name requires, and whether that includes minValues. */
  readonly #required = new Map<string, Requirements | undefined>();
  readonly #faults: WeakMap<FormSet, readonly OfferFault[]>;

  /** `faults`: what is known of forms; claims of one pool that list the same have the same. */
  constructor(cluster: PlannedCluster, faults: WeakMap<FormSet, readonly OfferFault[]>) {
    this.#cluster = cluster;
    this.#faults = faults;
  }

  check(): readonly Refutation[] {
    const found: Refutation[] = [];
    for (const place of this.#cluster.places) {
      const { set, offer } = place;
      if (offer === undefined || set.forms.length === 0) continue;
      const known = this.#known(place, offer);
      const isClosed = offer.frozen === true || offer.pool.replicas !== undefined;
      if (known.length > 0 || isClosed)
        found.push(...this.#refutations(place, isClosed ? [...known, launchesNothing(offer)] : known));
    }
    return found;
  }

  #refutations({ name, rows }: Place, faults: readonly OfferFault[]): readonly Refutation[] {
    const { keys } = this.#cluster.snapshot.pods;
    const pods = rows.map((row) => keys[row] ?? '');
    return faults.map(({ rule, detail }) => ({ rule, pods, detail: `${name}: ${detail}` }));
  }

  #known(place: Place, offer: PoolOffer): readonly OfferFault[] {
    const known = this.#faults.get(place.set);
    if (known !== undefined) return known;
    const made = this.#faultsOf(place, offer);
    this.#faults.set(place.set, made);
    return made;
  }

  #faultsOf(place: Place, offer: PoolOffer): readonly OfferFault[] {
    const faults = neverOffered(place);
    const required = this.#requiredBy(offer);
    if (required === undefined) return faults;
    const allLabels = place.set.forms.map(({ labels }) => labels);
    const short = minValuesShortfall(required, allLabels);
    if (short === undefined) return faults;
    const { key, found, minValues } = short;
    const detail = `${key} has ${String(found)} values, minValues is ${String(minValues)}`;
    return [...faults, { rule: 'minValues', detail }];
  }

  /** undefined for a pool without minValues. */
  #requiredBy({ pool }: PoolOffer): Requirements | undefined {
    if (!this.#required.has(pool.name)) {
      const { requirements } = pool.template;
      const isAny = requirements.some(({ minValues }) => minValues > 0);
      this.#required.set(pool.name, isAny ? requirementsOf(requirements) : undefined);
    }
    return this.#required.get(pool.name);
  }
}

function launchesNothing({ pool }: PoolOffer): OfferFault {
  return { rule: 'offering', detail: `NodePool ${pool.name} launches nothing` };
}

/** Listed types, zones and capacity types that no form has. */
function neverOffered({ claim, set: { forms } }: Place): OfferFault[] {
  const listed = [
    [INSTANCE_TYPE, claim?.instanceTypes],
    [ZONE, claim?.zones],
    [CAPACITY_TYPE, claim?.capacityTypes],
  ] as const;
  return listed.flatMap(([key, values = []]): OfferFault[] => {
    const offered = new Set(forms.map((form) => valueOf(form, key)));
    const never = values.find((value) => !offered.has(value));
    return never === undefined ? [] : [{ rule: 'offering', detail: `no listed offering has ${never}` }];
  });
}

/** A type is known by its name, whatever labels say. */
function valueOf({ type, labels }: Form, key: string): string | undefined {
  return key === INSTANCE_TYPE ? type?.name : labels.get(key);
}
