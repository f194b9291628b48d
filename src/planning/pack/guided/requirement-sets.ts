/**
 * What items require of a machine: that a constraint admits it, that it is of the pools of highest weight that can hold
 * them, that it has as many extended resources. Machines that every requirement judges alike share a signature.
 */
import type { MachineSet, MachineTiers, Reach } from './machine-sets.js';
import type { ResourceAxis } from './resource-axis.js';

interface RequirementSet {
  readonly set: MachineSet;
  readonly tier: number;
  /** R amounts, of which those of `ResourceAxis.extended` are looked at. */
  readonly requests: Float64Array;
}

export interface Signatures {
  /** Machine → signature. */
  readonly ofMachine: Int32Array;
  readonly count: number;
  /** signatures × requirement sets. */
  readonly admits: Uint8Array;
}

export class RequirementSets {
  readonly #tiers: MachineTiers;
  readonly #axis: ResourceAxis;
  readonly #sets: RequirementSet[] = [];
  /** Number of a reach → that of its set. */
  readonly #ofReach: number[] = [];
  /** Number of a machine set → those of its requirement sets. */
  readonly #ofMachines: number[][] = [];

  constructor(tiers: MachineTiers, axis: ResourceAxis) {
    this.#tiers = tiers;
    this.#axis = axis;
  }

  get count(): number {
    return this.#sets.length;
  }

  /** Number of the set of items with this reach; -1 when no machine can hold one. */
  of(reach: Reach): number {
    if (reach.tier < 0) return -1;
    return (this.#ofReach[reach.index] ??= this.#find(reach));
  }

  #find({ set, tier, requests }: Reach): number {
    const ofMachines = (this.#ofMachines[set.index] ??= []);
    for (const number of ofMachines) {
      const known = this.#sets[number];
      if (known?.tier === tier && this.#asksAlike(known.requests, requests)) return number;
    }
    const number = this.#sets.push({ set, tier, requests }) - 1;
    ofMachines.push(number);
    return number;
  }

  #asksAlike(left: Float64Array, right: Float64Array): boolean {
    return this.#axis.extended.every((index) => left[index] === right[index]);
  }

  /** Machines apart by what they admit; to be asked when all sets are known. */
  signatures(): Signatures {
    const count = this.#tiers.machines;
    const ofMachine = new Int32Array(count);
    const admitted = new Uint8Array(count * this.#sets.length);
    let signatures = count > 0 ? 1 : 0;
    this.#sets.forEach((requirement, index) => {
      const bytes = admitted.subarray(index * count, (index + 1) * count);
      this.#mark(requirement, bytes);
      signatures = split(ofMachine, signatures, bytes);
    });
    const admits = new Uint8Array(signatures * this.#sets.length);
    for (let machine = 0; machine < count; machine++) {
      const first = (ofMachine[machine] ?? 0) * this.#sets.length;
      for (let index = 0; index < this.#sets.length; index++)
        admits[first + index] = admitted[index * count + machine] ?? 0;
    }
    return { ofMachine, count: signatures, admits };
  }

  /** Writes 1 for every machine that the requirement admits. */
  #mark({ set, tier, requests }: RequirementSet, bytes: Uint8Array): void {
    const { room } = this.#tiers;
    const { extended } = this.#axis;
    const width = requests.length;
    for (const machine of this.#tiers.machinesOf(set, tier)) {
      const offset = machine * width;
      let isEnough = true;
      for (const index of extended) isEnough &&= (room[offset + index] ?? 0) >= (requests[index] ?? 0);
      if (isEnough) bytes[machine] = 1;
    }
  }
}

/** Parts machines of one signature that the bytes tell apart, and numbers them again; returns how many there are. */
function split(ofMachine: Int32Array, signatures: number, bytes: Uint8Array): number {
  const numbers = new Int32Array(2 * signatures).fill(-1);
  let count = 0;
  for (let machine = 0; machine < ofMachine.length; machine++) {
    const key = 2 * (ofMachine[machine] ?? 0) + (bytes[machine] ?? 0);
    if ((numbers[key] ?? -1) < 0) numbers[key] = count++;
    ofMachine[machine] = numbers[key] ?? 0;
  }
  return count;
}
