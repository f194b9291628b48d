/**
 * What items require of a bin type: that a constraint admits it, that it is of the pools of highest weight that can hold
 * them, that it has as many extended resources. Bin types that every requirement judges alike share a signature.
 */
import type { BinTypeSet, BinTypeTiers, Reach } from './bin-type-sets.js';
import type { ResourceAxis } from './resource-axis.js';

interface RequirementSet {
  readonly set: BinTypeSet;
  readonly tier: number;
  /** R amounts, of which those of `ResourceAxis.extended` are looked at. */
  readonly requests: Float64Array;
}

export interface Signatures {
  /** Bin type → signature. */
  readonly ofBinType: Int32Array;
  readonly count: number;
  /** signatures × requirement sets. */
  readonly admits: Uint8Array;
}

export class RequirementSets {
  readonly #tiers: BinTypeTiers;
  readonly #axis: ResourceAxis;
  readonly #sets: RequirementSet[] = [];
  /** Number of a reach → that of its set. */
  readonly #ofReach: number[] = [];
  /** Number of a bin type set → those of its requirement sets. */
  readonly #ofBinTypes: number[][] = [];

  constructor(tiers: BinTypeTiers, axis: ResourceAxis) {
    this.#tiers = tiers;
    this.#axis = axis;
  }

  get count(): number {
    return this.#sets.length;
  }

  /** Number of the set of items with this reach; -1 when no bin type can hold one. */
  of(reach: Reach): number {
    if (reach.tier < 0) return -1;
    return (this.#ofReach[reach.index] ??= this.#find(reach));
  }

  #find({ set, tier, requests }: Reach): number {
    const ofBinTypes = (this.#ofBinTypes[set.index] ??= []);
    for (const number of ofBinTypes) {
      const known = this.#sets[number];
      if (known?.tier === tier && this.#asksAlike(known.requests, requests)) return number;
    }
    const number = this.#sets.push({ set, tier, requests }) - 1;
    ofBinTypes.push(number);
    return number;
  }

  #asksAlike(left: Float64Array, right: Float64Array): boolean {
    return this.#axis.extended.every((index) => left[index] === right[index]);
  }

  /** Bin types grouped by what they admit; to be asked when all sets are known. */
  signatures(): Signatures {
    const count = this.#tiers.binTypes;
    const ofBinType = new Int32Array(count);
    const admitted = new Uint8Array(count * this.#sets.length);
    let signatures = count > 0 ? 1 : 0;
    this.#sets.forEach((requirement, index) => {
      const bytes = admitted.subarray(index * count, (index + 1) * count);
      this.#mark(requirement, bytes);
      signatures = split(ofBinType, signatures, bytes);
    });
    const admits = new Uint8Array(signatures * this.#sets.length);
    for (let binType = 0; binType < count; binType++) {
      const first = (ofBinType[binType] ?? 0) * this.#sets.length;
      for (let index = 0; index < this.#sets.length; index++)
        admits[first + index] = admitted[index * count + binType] ?? 0;
    }
    return { ofBinType, count: signatures, admits };
  }

  /** Writes 1 for every bin type that the requirement admits. */
  #mark({ set, tier, requests }: RequirementSet, bytes: Uint8Array): void {
    const { room } = this.#tiers;
    const { extended } = this.#axis;
    const width = requests.length;
    for (const binType of this.#tiers.binTypesOf(set, tier)) {
      const offset = binType * width;
      let isEnough = true;
      for (const index of extended) isEnough &&= (room[offset + index] ?? 0) >= (requests[index] ?? 0);
      if (isEnough) bytes[binType] = 1;
    }
  }
}

/** Separates bin types of one signature whose bytes differ, and numbers them again; returns how many there are. */
function split(ofBinType: Int32Array, signatures: number, bytes: Uint8Array): number {
  const numbers = new Int32Array(2 * signatures).fill(-1);
  let count = 0;
  for (let binType = 0; binType < ofBinType.length; binType++) {
    const key = 2 * (ofBinType[binType] ?? 0) + (bytes[binType] ?? 0);
    if ((numbers[key] ?? -1) < 0) numbers[key] = count++;
    ofBinType[binType] = numbers[key] ?? 0;
  }
  return count;
}
