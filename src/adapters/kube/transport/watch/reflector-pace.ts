/** Decides how long a reflector waits before its next request. */
import type { Clock } from '../../../../ports/clock.js';
import type { PortError } from '../../../../ports/port-error.js';
import type { Random } from '../../../../ports/random.js';
import { backoffMillis } from '../../../../runtime/concurrency/backoff.js';
import type { ReflectorTiming } from './reflector-options.js';

/** How a list or a watch ended, and where to go on. */
export interface Ended {
  /** `done`: a list was read; `closed`: a watch ended, by whatever; `failed`: an error was the answer. */
  readonly how: 'done' | 'closed' | 'failed';
  /** The resourceVersion to watch from; undefined when a list has to come first. */
  readonly resumeFrom: string | undefined;
  readonly error: PortError | undefined;
  /** How long a watch was open; 0 for lists and watches that were refused. */
  readonly openMillis: number;
}

const FIRST_RESUME_MILLIS = 100;
const FIRST_FAILURE_MILLIS = 400;
/** A server that asks for more than that is asked again nevertheless. */
const LONGEST_RETRY_AFTER_MILLIS = 60_000;

export class ReflectorPace {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #timing: ReflectorTiming;
  #failures = 0;
  #listedAt: number | undefined;

  constructor(options: { readonly clock: Clock; readonly random: Random; readonly timing: ReflectorTiming }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#timing = options.timing;
  }

  /** Attempts in a row that did not lead to a healthy watch. */
  get failures(): number {
    return this.#failures;
  }

  /** A list begins now. */
  listing(): void {
    this.#listedAt = this.#clock.monotonic();
  }

  /** Milliseconds to wait after this. A list that went well proves nothing: the watch after it may fail again and again. */
  delayAfter({ how, resumeFrom, error, openMillis }: Ended): number {
    if (how === 'done') return 0;
    this.#failures = openMillis >= this.#timing.healthyMillis ? 1 : this.#failures + 1;
    const delay = how === 'closed' ? this.#resumeDelay() : this.#failureDelay(error?.retryAfterMillis ?? 0);
    return resumeFrom === undefined ? Math.max(delay, this.#untilNextList()) : delay;
  }

  /** Connections are cut in passing: the first time, what was missed is fetched at once. */
  #resumeDelay(): number {
    if (this.#failures === 1) return 0;
    return this.#backoff(this.#failures - 1, FIRST_RESUME_MILLIS, this.#timing.longestResumeMillis);
  }

  #failureDelay(retryAfterMillis: number): number {
    const delay = this.#backoff(this.#failures, FIRST_FAILURE_MILLIS, this.#timing.longestFailureMillis);
    return Math.max(delay, Math.min(retryAfterMillis, LONGEST_RETRY_AFTER_MILLIS));
  }

  #backoff(attempt: number, baseMillis: number, maxMillis: number): number {
    return backoffMillis({
      attempt,
      baseMillis: Math.min(baseMillis, maxMillis),
      maxMillis,
      random: this.#random,
    });
  }

  #untilNextList(): number {
    if (this.#listedAt === undefined) return 0;
    return this.#listedAt + this.#timing.relistMillis - this.#clock.monotonic();
  }
}
