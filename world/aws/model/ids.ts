/** The ids that the simulated services give out: by chance where AWS' are, counted where only their shape matters. */
import type { Random } from '../../../src/ports/random.js';

export class Ids {
  readonly #random: Random;
  readonly #run: string;
  #requests = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#run = random.hex(8);
  }

  /** `i-0…`, `lt-0…`: the prefix and seventeen hexadecimal digits. */
  resource(prefix: string): string {
    return `${prefix}-0${this.#random.hex(16)}`;
  }

  /** As `fleet-…` and messages have them. */
  uuid(): string {
    const digits = this.#random.hex(30);
    const part = (from: number, to: number) => digits.slice(from, to);
    return `${part(0, 8)}-${part(8, 12)}-4${part(12, 15)}-8${part(15, 18)}-${part(18, 30)}`;
  }

  /** Counted, so that the number of requests does not change what chance does next. */
  request(): string {
    return `${this.#run}-0000-4000-8000-${(++this.#requests).toString(16).padStart(12, '0')}`;
  }
}
