/** Whether what a claim lists can be launched, and keeps as many values open as its pool's minValues ask. */
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/labels.js';
import { minValuesShortfall } from '../../domain/min-values.js';
import { requirementsOf, type Requirements } from '../../domain/requirements.js';
import type { Form, Place, PlannedCluster } from './planned-cluster.js';
import type { Refutation } from './refutation.js';

type Fault = Pick<Refutation, 'rule' | 'detail'>;

export class OfferProof {
  readonly #cluster: PlannedCluster;
  /** What the pool of a name requires, and whether that includes minValues. */
  readonly #required = new Map<string, Requirements | undefined>();
  /** Claims that list the same have the same forms. */
  readonly #faults = new Map<readonly Form[], readonly Fault[]>();

  constructor(cluster: PlannedCluster) {
    this.#cluster = cluster;
  }

  check(): readonly Refutation[] {
    return this.#cluster.places.flatMap((place) => {
      if (place.claim === undefined || place.forms.length === 0) return [];
      const faults = this.#faults.get(place.forms) ?? this.#faultsOf(place);
      this.#faults.set(place.forms, faults);
      if (faults.length === 0) return [];
      const { keys } = this.#cluster.snapshot.pods;
      const pods = [...place.stands.values()].flatMap(({ placed }) => placed.map((row) => keys[row] ?? ''));
      return faults.map(({ rule, detail }) => ({ rule, pods, detail: `${place.name}: ${detail}` }));
    });
  }

  #faultsOf(place: Place): readonly Fault[] {
    const { offer, forms } = place;
    if (offer === undefined) return [];
    const faults = neverOffered(place);
    if (offer.frozen === true || offer.pool.replicas !== undefined)
      faults.push({ rule: 'offering', detail: `NodePool ${offer.pool.name} launches nothing` });
    const required = this.#requiredBy(offer);
    if (required === undefined) return faults;
    const allLabels = forms.map(({ labels }) => labels);
    const short = minValuesShortfall(required, allLabels);
    if (short === undefined) return faults;
    const { key, found, minValues } = short;
    const detail = `${key} has ${String(found)} values, minValues is ${String(minValues)}`;
    return [...faults, { rule: 'minValues', detail }];
  }

  /** undefined for a pool without minValues. */
  #requiredBy({ pool }: NonNullable<Place['offer']>): Requirements | undefined {
    if (!this.#required.has(pool.name)) {
      const { requirements } = pool.template;
      const isAny = requirements.some(({ minValues }) => minValues > 0);
      this.#required.set(pool.name, isAny ? requirementsOf(requirements) : undefined);
    }
    return this.#required.get(pool.name);
  }
}

/** Listed types, zones and capacity types that no form has. */
function neverOffered({ claim, forms }: Place): Fault[] {
  const listed = [
    [INSTANCE_TYPE, claim?.instanceTypes],
    [ZONE, claim?.zones],
    [CAPACITY_TYPE, claim?.capacityTypes],
  ] as const;
  return listed.flatMap(([key, values = []]): Fault[] => {
    const offered = new Set(forms.map((form) => valueOf(form, key)));
    const never = values.find((value) => !offered.has(value));
    return never === undefined ? [] : [{ rule: 'offering', detail: `no listed offering has ${never}` }];
  });
}

/** A type is known by its name, whatever labels say. */
function valueOf({ type, labels }: Form, key: string): string | undefined {
  return key === INSTANCE_TYPE ? type?.name : labels.get(key);
}
