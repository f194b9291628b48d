/** Where items may go, answered once for all items of one size with the same machines and zones. */
import type { MachineSet } from './machine-sets.js';
import type { MachineTiers, Sized } from './machine-tiers.js';

export interface Reach extends Sized {
  /** Number of the reach, in the order in which they were asked for. */
  readonly index: number;
  readonly set: MachineSet;
  /** Number of its requests, see RequestKinds. */
  readonly kind: number;
  /** Tier of the machines that the items go to: of those that hold one, the highest; -1 when none does. */
  readonly tier: number;
}

export class Reaches {
  readonly #tiers: MachineTiers;
  /** Number of a set → number of kind and zones → reach. */
  readonly #known: Map<number, Reach>[] = [];
  readonly #masks: number;
  #count = 0;

  /** `zones`: how many there are. */
  constructor(tiers: MachineTiers, zones: number) {
    this.#tiers = tiers;
    this.#masks = 2 ** zones;
  }

  /** `kind` must be the number of these requests. */
  of(set: MachineSet, zoneMask: number, kind: number, requests: Float64Array): Reach {
    const ofSet = (this.#known[set.index] ??= new Map<number, Reach>());
    const key = kind * this.#masks + zoneMask;
    const known = ofSet.get(key);
    if (known !== undefined) return known;
    const tier = this.#tiers.highestFor(set, { requests, zoneMask });
    const made: Reach = { index: this.#count++, set, zoneMask, kind, requests, tier };
    ofSet.set(key, made);
    return made;
  }
}
