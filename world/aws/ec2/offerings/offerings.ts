/** What EC2 sells here: instance types by zone, with their prices on demand. */
import type { Catalogue, InstanceFacts } from '../../../../src/clouds/aws/catalogue/index.js';
import type { CapacityPool } from '../../model/capacity-stock.js';

interface Sold {
  readonly facts: InstanceFacts;
  /** Zone → USD/h on demand. */
  readonly onDemand: ReadonlyMap<string, number>;
  /** Zone → USD/h on spot, as the catalogue has it. */
  readonly spot: ReadonlyMap<string, number>;
}

export class Offerings {
  readonly #sold: ReadonlyMap<string, Sold>;

  constructor(catalogue: Catalogue) {
    this.#sold = new Map(
      catalogue.entries.map(({ facts, offerings }) => {
        const prices = (capacityType: string) =>
          new Map(
            offerings
              .filter((offering) => offering.capacityType === capacityType)
              .map(({ zone, price }) => [zone, price] as const),
          );
        return [facts.name, { facts, onDemand: prices('on-demand'), spot: prices('spot') }] as const;
      }),
    );
  }

  /** All types, in the catalogue's order. */
  get types(): readonly InstanceFacts[] {
    return [...this.#sold.values()].map(({ facts }) => facts);
  }

  facts(instanceType: string): InstanceFacts | undefined {
    return this.#sold.get(instanceType)?.facts;
  }

  /** The zones in which a type is sold in any way. */
  zones(instanceType: string): readonly string[] {
    const sold = this.#sold.get(instanceType);
    return sold === undefined ? [] : [...new Set([...sold.onDemand.keys(), ...sold.spot.keys()])];
  }

  /** USD/h as the catalogue has it; undefined when the pool does not exist. */
  listPrice({ instanceType, zone, capacityType }: CapacityPool): number | undefined {
    const sold = this.#sold.get(instanceType);
    return capacityType === 'spot' ? sold?.spot.get(zone) : sold?.onDemand.get(zone);
  }

  isSoldOnSpot(instanceType: string): boolean {
    return (this.#sold.get(instanceType)?.spot.size ?? 0) > 0;
  }
}
