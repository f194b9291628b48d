/**
 * Keys to be worked on, after client-go's workqueue: a key waits at most once, and is worked on by one worker at a time;
 * added while it is worked on, it is worked on again afterwards.
 */
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import { backoffMillis } from './backoff.js';
import { linkedSignal } from '../time/linked-signal.js';
import type { Metrics } from '../metrics/metrics.js';

/** What came of a key: look at it again after a while, or when it is added again. */
export interface Requeue {
  readonly requeueAfterMillis: number;
}

export interface WorkQueueOptions {
  /** For metrics and log lines. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Works on a key; must end soon after its signal is aborted. What it throws makes the key be tried again. */
  readonly handle: (key: string, signal: AbortSignal) => Promise<Requeue | undefined>;
  /** Keys worked on at once. */
  readonly concurrency: number;
  /** Until the first retry; doubled with every further failure, */
  readonly baseDelayMillis: number;
  /** up to this. */
  readonly maxDelayMillis: number;
  /** Work on a key is aborted after so long. */
  readonly timeoutMillis: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Delay {
  readonly due: number;
  readonly cancel: () => void;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Keys that wait, and since when, in the order in which they are worked on. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Set<string>();
  /** Added while they are worked on. */
  readonly #again = new Set<string>();
  readonly #delays = new Map<string, Delay>();
  readonly #failures = new Map<string, number>();
  /** Set while it runs. */
  #signal: AbortSignal | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** The key is worked on as soon as a worker is free; at any time, running or not. */
  add(key: string): void {
    const { name, metrics, clock } = this.#options;
    if (this.#waiting.has(key) || this.#again.has(key)) return;
    metrics.workQueueAdds.inc({ name });
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#waiting.set(key, clock.monotonic());
    this.#start();
  }

  /** Adds the key after a while; of several calls the soonest counts. */
  addAfter(key: string, millis: number): void {
    const { clock } = this.#options;
    const due = clock.monotonic() + millis;
    const before = this.#delays.get(key);
    if (before !== undefined && before.due <= due) return;
    before?.cancel();
    const cancel = clock.timer(millis, () => {
      this.#delays.delete(key);
      this.add(key);
    });
    this.#delays.set(key, { due, cancel });
  }

  /** Its failures no longer count. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Keys that wait. */
  get depth(): number {
    return this.#waiting.size + this.#again.size;
  }

  /**
   * Works until the signal is aborted, and then for as long as what is in work takes to end. What still waits then stays,
   * for the next time it runs.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#signal !== undefined) throw new Error(`work queue ${this.#options.name} is already running`);
    this.#signal = signal;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        if (signal.aborted && this.#working.size === 0) resolve();
      };
      this.#onIdle = settle;
      signal.addEventListener('abort', settle, { once: true });
      settle();
      this.#start();
    });
    this.#signal = undefined;
  }

  #start(): void {
    const signal = this.#signal;
    if (signal !== undefined && !signal.aborted) {
      for (const [key, since] of this.#waiting) {
        if (this.#working.size >= this.#options.concurrency) break;
        this.#waiting.delete(key);
        this.#working.add(key);
        void this.#work(key, since, signal);
      }
    }
    this.#options.metrics.workQueueDepth.set({ name: this.#options.name }, this.depth);
  }

  async #work(key: string, since: number, stopped: AbortSignal): Promise<void> {
    const { name, clock, metrics } = this.#options;
    const start = clock.monotonic();
    metrics.workQueueWait.observe({ name }, (start - since) / 1000);
    await this.#attempt(key, stopped);
    metrics.workQueueWork.observe({ name }, (clock.monotonic() - start) / 1000);
    this.#working.delete(key);
    if (this.#again.delete(key)) this.#waiting.set(key, clock.monotonic());
    this.#start();
    this.#onIdle?.();
  }

  /** Never rejects. */
  async #attempt(key: string, stopped: AbortSignal): Promise<void> {
    const { name, clock, handle, timeoutMillis, logger } = this.#options;
    const own = linkedSignal(stopped);
    const timeOut = this.#timedOut(key);
    const cancelTimer = clock.timer(timeoutMillis, () => {
      logger.warn('Reconcile timed out', { queue: name, key, timeoutMillis });
      own.abort(timeOut);
    });
    try {
      const requeue = await handle(key, own.signal);
      this.#failures.delete(key);
      if (requeue !== undefined) this.addAfter(key, requeue.requeueAfterMillis);
    } catch (error) {
      if (stopped.aborted) this.#again.add(key);
      else this.#failed(key, hasCode(error, 'Cancelled') && own.signal.aborted ? timeOut : error);
    } finally {
      cancelTimer();
      own.unlink();
    }
  }

  #timedOut(key: string): PortError {
    const { name, timeoutMillis } = this.#options;
    const message = `timed out after ${String(timeoutMillis)} milliseconds`;
    return new PortError('TimedOut', { operation: `reconcile ${name} ${key}`, message });
  }

  /** What can never succeed as it stands is tried again as seldom as can be: the world may have changed by then. */
  #failed(key: string, error: unknown): void {
    const { name, random, baseDelayMillis, maxDelayMillis, logger, metrics } = this.#options;
    const attempt = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, attempt);
    metrics.workQueueRetries.inc({ name });
    const portError = error instanceof PortError ? error : undefined;
    if (portError !== undefined) metrics.apiErrors.inc({ operation: name, code: portError.code });
    const isFinal = portError?.retryable === false;
    const delay = isFinal
      ? maxDelayMillis
      : (portError?.retryAfterMillis ??
        backoffMillis({ attempt, baseMillis: baseDelayMillis, maxMillis: maxDelayMillis, random }));
    this.addAfter(key, delay);
    const fields = { queue: name, key, attempt, delayMillis: Math.round(delay), error };
    // A conflict is normal, and soon resolved.
    if (portError?.code === 'Conflict') logger.debug('Reconcile failed; it will be retried', fields);
    else if (isFinal || portError === undefined) logger.error('Reconcile failed', fields);
    else logger.info('Reconcile failed; it will be retried', fields);
  }
}
