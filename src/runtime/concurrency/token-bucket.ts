/** How often something may happen: so many times at once, and then at a rate. */
import type { Clock } from '../../ports/clock.js';
import { PortError } from '../../ports/port-error.js';

export interface TokenBucketOptions {
  /** Tokens when full, as it is at first. */
  readonly capacity: number;
  readonly refillPerSecond: number;
  readonly clock: Clock;
}

interface Waiter {
  readonly tokens: number;
  /** Its place in the queue: when it came, and later by its patience; monotonic, in milliseconds. */
  readonly place: number;
  readonly resolve: () => void;
}

/** The caller that waits longest is served first, but for the patience that callers have. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #refillPerMilli: number;
  readonly #clock: Clock;
  readonly #waiters: Waiter[] = [];
  #tokens: number;
  #countedAt: number;
  #stopTimer: (() => void) | undefined;

  constructor({ capacity, refillPerSecond, clock }: TokenBucketOptions) {
    this.#capacity = capacity;
    this.#refillPerMilli = refillPerSecond / 1000;
    this.#clock = clock;
    this.#tokens = capacity;
    this.#countedAt = clock.monotonic();
  }

  /** Takes tokens if they are available and no caller waits for them; answers whether it did. */
  tryTake(tokens = 1): boolean {
    this.#refill();
    if (this.#waiters.length > 0 || tokens > this.#tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  /** Takes as many whole tokens as there are, up to so many; none while another caller waits for some. Answers how many. */
  takeUpTo(most: number): number {
    this.#refill();
    const taken = this.#waiters.length > 0 ? 0 : Math.min(most, Math.floor(this.#tokens));
    this.#tokens -= taken;
    return taken;
  }

  /** Tokens that were taken and not used. */
  giveBack(tokens: number): void {
    this.#refill();
    this.#tokens = Math.min(this.#tokens + tokens, this.#capacity);
    this.#serve();
  }

  /**
   * Waits for tokens and takes them. Callers that come up to `patienceMillis` later go first; with -Infinity this one goes
   * before all that wait, but for those that said the same.
   * @throws PortError Cancelled, when the signal is aborted before; Invalid, when the bucket never holds so many.
   */
  take(tokens = 1, signal?: AbortSignal, patienceMillis = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      if (tokens > this.#capacity) {
        reject(bucketError('Invalid', `${String(tokens)} tokens are more than ${String(this.#capacity)}`));
        return;
      }
      const cancel = (): void => {
        this.#leave(waiter);
        reject(bucketError('Cancelled', 'the signal was aborted'));
      };
      const waiter: Waiter = {
        tokens,
        place: this.#clock.monotonic() + patienceMillis,
        resolve: () => {
          signal?.removeEventListener('abort', cancel);
          resolve();
        },
      };
      if (signal?.aborted === true) {
        cancel();
        return;
      }
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiters.splice(1 + this.#waiters.findLastIndex(({ place }) => place <= waiter.place), 0, waiter);
      this.#serve();
    });
  }

  #leave(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    if (index < 0) return;
    this.#waiters.splice(index, 1);
    this.#serve();
  }

  #serve(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#refill();
    for (let first = this.#waiters[0]; first !== undefined; first = this.#waiters[0]) {
      const missing = first.tokens - this.#tokens;
      if (missing > 0) {
        const millis = Math.ceil(missing / this.#refillPerMilli);
        this.#stopTimer = this.#clock.timer(millis, () => {
          this.#serve();
        });
        return;
      }
      this.#tokens -= first.tokens;
      this.#waiters.shift();
      first.resolve();
    }
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    const gained = (now - this.#countedAt) * this.#refillPerMilli;
    this.#tokens = Math.min(this.#tokens + gained, this.#capacity);
    this.#countedAt = now;
  }
}

function bucketError(code: 'Invalid' | 'Cancelled', message: string): PortError {
  return new PortError(code, { operation: 'take tokens', message });
}
