/** What a node of an offering will be labelled with, without building the map. */
import type { InstanceType, Offering } from '../../../domain/nodes/instance-type.js';
import { CAPACITY_TYPE, ZONE, ZONE_ID, type LabelLookup } from '../../../domain/values/labels.js';
import { labelsSatisfy, type Requirements } from '../../../domain/values/requirements.js';

export class OfferingLabels implements LabelLookup {
  readonly #template: LabelLookup;
  readonly #type: InstanceType;
  readonly #offering: Offering;

  /** `template`: labels of the node template, the chosen ones among them. */
  constructor(template: LabelLookup, type: InstanceType, offering: Offering) {
    this.#template = template;
    this.#type = type;
    this.#offering = offering;
  }

  get(key: string): string | undefined {
    if (key === ZONE) return this.#offering.zone;
    if (key === CAPACITY_TYPE) return this.#offering.capacityType;
    if (key === ZONE_ID) return this.#offering.zoneID;
    return this.#type.labels.get(key) ?? this.#template.get(key);
  }
}

/** The offerings of a type that can be launched under requirements, without reserved capacity; `template`: as above. */
export function offeringsWithin(
  requirements: Requirements,
  template: LabelLookup,
  type: InstanceType,
): readonly Offering[] {
  return type.offerings.filter(
    (offering) =>
      offering.available &&
      offering.reservation === undefined &&
      labelsSatisfy(requirements, new OfferingLabels(template, type, offering)),
  );
}
