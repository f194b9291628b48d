/**
 * Keys to be worked on, after client-go's workqueue: a key waits at most once, and is worked on by one worker at a time;
 * added while it is worked on, it is worked on again afterwards.
 */
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import { backoffMillis } from './backoff.js';
import { linkedSignal, type LinkedSignal } from '../time/linked-signal.js';
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
  /** Until the first retry (default: 100 ms); doubled with every further failure, */
  readonly baseDelayMillis?: number;
  /** up to this (default: 30 s). */
  readonly maxDelayMillis?: number;
  /** Work on a key is aborted after so long (default: 30 s). */
  readonly timeoutMillis?: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Delay {
  readonly due: number;
  readonly cancel: () => void;
}

/** A key that is worked on. */
interface Attempt {
  readonly own: LinkedSignal;
  /** Monotonic. */
  readonly startedAt: number;
  /** Why it was aborted, when it took too long. */
  timeOut: PortError | undefined;
  isOver: boolean;
}

/** For writes of a single object. */
const DEFAULTS = { baseDelayMillis: 100, maxDelayMillis: 30_000, timeoutMillis: 30_000 };
/** Less than this is no reason for another timer, in milliseconds. */
const TIMER_SLACK_MILLIS = 1;
/** Of work on keys, before I/O and other tasks of the thread have their turn: thousands of keys may be due at once. */
const TURN_MILLIS = 8;

export class WorkQueue {
  readonly #options: Required<WorkQueueOptions>;
  /** Of its metrics; the queue and who empties it have one name. */
  readonly #labels: { readonly name: string; readonly controller: string };
  /** Keys that wait, and since when, in the order in which they are worked on. */
  readonly #waiting = new Map<string, number>();
  /** The oldest attempt first. */
  readonly #working = new Map<string, Attempt>();
  /**
   * Signals of attempts that succeeded, for others: making one for every key costs more than most looks at a key. At most as
   * many as there are workers.
   */
  #spareSignals: LinkedSignal[] = [];
  /** Set while a timer for attempts that take too long is set. */
  #cancelTimer: (() => void) | undefined;
  /** Added while they are worked on. */
  readonly #again = new Set<string>();
  /** When the first key was begun in this turn of the event loop (monotonic); undefined: none was. */
  #turnBeganAt: number | undefined;
  readonly #delays = new Map<string, Delay>();
  readonly #failures = new Map<string, number>();
  /** Set while it runs. */
  #signal: AbortSignal | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#labels = { name: options.name, controller: options.name };
  }

  /** The key is worked on as soon as a worker is free; at any time, running or not. */
  add(key: string): void {
    const { metrics, clock } = this.#options;
    if (this.#waiting.has(key) || this.#again.has(key)) return;
    metrics.workQueueAdds.inc(this.#labels);
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
    const { metrics } = this.#options;
    const measure = (): void => {
      this.#measure();
    };
    const stopMeasuring = metrics.onScrape(measure);
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        if (signal.aborted && this.#working.size === 0) resolve();
      };
      this.#onIdle = settle;
      signal.addEventListener('abort', settle, { once: true });
      settle();
      this.#start();
    });
    for (const spare of this.#spareSignals) spare.unlink();
    this.#spareSignals = [];
    this.#signal = undefined;
    stopMeasuring();
    measure();
  }

  #measure(): void {
    const { name: controller, concurrency, clock, metrics } = this.#options;
    const now = clock.monotonic();
    const taken = [...this.#working.values()].map(({ startedAt }) => (now - startedAt) / 1000);
    metrics.workQueueDepth.set(this.#labels, this.depth);
    metrics.workQueueUnfinished.set(
      this.#labels,
      taken.reduce((sum, seconds) => sum + seconds, 0),
    );
    metrics.workQueueLongest.set(this.#labels, Math.max(0, ...taken));
    metrics.activeWorkers.set({ controller }, taken.length);
    metrics.mostWorkers.set({ controller }, concurrency);
  }

  #start(): void {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    for (const [key, since] of this.#waiting) {
      if (this.#working.size >= this.#options.concurrency || this.#isTurnOver()) break;
      this.#waiting.delete(key);
      void this.#work(key, since, signal);
    }
  }

  /** The next turn continues with what waits by then. */
  #isTurnOver(): boolean {
    const now = this.#options.clock.monotonic();
    if (this.#turnBeganAt !== undefined) return now - this.#turnBeganAt >= TURN_MILLIS;
    this.#turnBeganAt = now;
    setImmediate(() => {
      this.#turnBeganAt = undefined;
      this.#start();
    });
    return false;
  }

  async #work(key: string, since: number, stopped: AbortSignal): Promise<void> {
    const { name, clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    const own = this.#spareSignals.pop() ?? linkedSignal(stopped);
    const attempt: Attempt = { own, startedAt, timeOut: undefined, isOver: false };
    this.#working.set(key, attempt);
    metrics.workQueueWait.observe(this.#labels, (startedAt - since) / 1000);
    await this.#attempt(key, attempt, stopped);
    const seconds = (clock.monotonic() - startedAt) / 1000;
    metrics.workQueueWork.observe(this.#labels, seconds);
    metrics.reconcileDuration.observe({ controller: name }, seconds);
    this.#working.delete(key);
    if (this.#again.delete(key)) this.#waiting.set(key, clock.monotonic());
    this.#start();
    if (this.#working.size === 0) this.#stopTimer();
    this.#onIdle?.();
  }

  /** Never rejects. */
  async #attempt(key: string, attempt: Attempt, stopped: AbortSignal): Promise<void> {
    const { own } = attempt;
    try {
      const work = this.#options.handle(key, own.signal);
      void this.#watch(attempt);
      const requeue = await work;
      this.#failures.delete(key);
      this.#count(requeue === undefined ? 'success' : 'requeue_after');
      if (requeue !== undefined) this.addAfter(key, requeue.requeueAfterMillis);
      if (own.signal.aborted) own.unlink();
      else this.#spareSignals.push(own);
    } catch (error) {
      own.unlink();
      if (stopped.aborted) this.#again.add(key);
      else this.#failed(key, hasCode(error, 'Cancelled') ? (attempt.timeOut ?? error) : error);
    } finally {
      attempt.isOver = true;
    }
  }

  /** Sees to it that an attempt that takes too long is aborted; one that is done at once needs no timer. */
  async #watch(attempt: Attempt): Promise<void> {
    // The attempt's own continuation comes between the two.
    await Promise.resolve();
    await Promise.resolve();
    if (!attempt.isOver && this.#cancelTimer === undefined) this.#setTimer(this.#options.timeoutMillis);
  }

  #setTimer(millis: number): void {
    this.#cancelTimer = this.#options.clock.timer(millis, () => {
      this.#cancelTimer = undefined;
      this.#abortLate();
    });
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Aborts the attempts whose time is over, and waits for the next one. */
  #abortLate(): void {
    const { name, clock, timeoutMillis, logger, metrics } = this.#options;
    for (const [key, attempt] of this.#working) {
      if (attempt.timeOut !== undefined) continue;
      const left = attempt.startedAt + timeoutMillis - clock.monotonic();
      if (left >= TIMER_SLACK_MILLIS) {
        this.#setTimer(left);
        return;
      }
      logger.warn('Reconcile timed out', { queue: name, key, timeoutMillis });
      metrics.reconcileTimeouts.inc({ controller: name });
      attempt.timeOut = this.#timedOut(key);
      attempt.own.abort(attempt.timeOut);
    }
  }

  #count(result: 'success' | 'requeue_after' | 'error'): void {
    const { name: controller, metrics } = this.#options;
    metrics.reconciles.inc({ controller, result });
  }

  #countFailure(isFinal: boolean): void {
    const { name: controller, metrics } = this.#options;
    this.#count('error');
    metrics.workQueueRetries.inc(this.#labels);
    metrics.reconcileErrors.inc({ controller });
    if (isFinal) metrics.reconcileFinalErrors.inc({ controller });
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
    const portError = error instanceof PortError ? error : undefined;
    if (portError !== undefined) metrics.apiErrors.inc({ operation: name, code: portError.code });
    const isFinal = portError?.retryable === false;
    this.#countFailure(isFinal);
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
