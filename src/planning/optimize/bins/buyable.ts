/** Machines by their least price that accounts still take: what was found to be too much for them is not asked again. */
import { real, whole } from '../problem/typed-read.js';

export class Buyable {
  readonly #all: Int32Array;
  readonly #allPrices: Float64Array;
  readonly #machines: Int32Array;
  readonly #prices: Float64Array;
  #count = 0;
  #isFull = false;
  #struck = 0;

  /** `machines` by ascending least price, with these prices in USD/h. */
  constructor(machines: Int32Array, leastPrice: Float64Array) {
    this.#all = machines;
    this.#allPrices = leastPrice;
    this.#machines = new Int32Array(machines.length);
    this.#prices = new Float64Array(machines.length);
  }

  /** Accounts may have more left than before: all machines are to be asked again. */
  reset(): void {
    this.#isFull = false;
  }

  get count(): number {
    if (!this.#isFull) {
      this.#machines.set(this.#all);
      this.#prices.set(this.#allPrices);
      this.#count = this.#all.length;
      this.#struck = 0;
      this.#isFull = true;
    }
    return this.#count;
  }

  machine(at: number): number {
    return whole(this.#machines, at);
  }

  /** USD/h. */
  leastPrice(at: number): number {
    return real(this.#prices, at);
  }

  /** Leaves out a machine from the next `tidy` on. */
  strike(at: number): void {
    this.#machines[at] = -1;
    this.#struck++;
  }

  tidy(): void {
    if (this.#struck === 0) return;
    let kept = 0;
    for (let at = 0; at < this.#count; at++) {
      const machine = whole(this.#machines, at);
      if (machine < 0) continue;
      this.#machines[kept] = machine;
      this.#prices[kept++] = real(this.#prices, at);
    }
    this.#count = kept;
    this.#struck = 0;
  }
}
