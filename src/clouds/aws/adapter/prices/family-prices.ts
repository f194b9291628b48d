/** What an instance without a price probably costs: sizes of a family cost the same for each vCPU, nearly always. */
import type { InstanceFacts } from '../../catalogue/index.js';

export class FamilyPrices {
  /** Family → USD/h of one vCPU, of its types with a price. */
  readonly #perVcpu = new Map<string, number[]>();

  constructor(types: Iterable<InstanceFacts>, priceOf: (type: InstanceFacts) => number | undefined) {
    for (const type of types) {
      const price = priceOf(type);
      if (price === undefined) continue;
      const known = this.#perVcpu.get(familyOf(type)) ?? [];
      this.#perVcpu.set(familyOf(type), [...known, price / type.vcpu]);
    }
  }

  /** USD/h, by the median of the family; undefined when no type of the family has a price. */
  price(type: InstanceFacts): number | undefined {
    const known = [...(this.#perVcpu.get(familyOf(type)) ?? [])].sort((left, right) => left - right);
    const median = known[Math.floor(known.length / 2)];
    return median === undefined ? undefined : median * type.vcpu;
  }
}

function familyOf({ name }: InstanceFacts): string {
  return name.slice(0, name.indexOf('.'));
}
