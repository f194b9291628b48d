/** What happened in the world, one line per event: the measure of whether two runs were the same. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../src/ports/clock.js';

/** Enough to tell a story by, small enough for a world that runs for days. */
const KEPT_LINES = 50_000;

export class Trace {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #hash = createHash('sha256');
  #lines: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** `<milliseconds since the start> <actor> <object> <what>`. */
  add(actor: string, object: string, what: string): void {
    const line = `${String(this.#clock.now() - this.#start)} ${actor} ${object} ${what}`;
    this.#hash.update(`${line}\n`);
    this.#lines.push(line);
    if (this.#lines.length > 2 * KEPT_LINES) this.#lines = this.#lines.slice(-KEPT_LINES);
  }

  /** The latest ones. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Of all lines from the first on. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }
}
