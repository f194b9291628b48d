/** Looks at keys that something happened to, one after another, a moment later, and again after a while when that failed. */
import type { Clock } from '../../src/ports/clock.js';
import { isOvertaken } from './cluster-api.js';
import type { Trace } from './trace.js';

/** How long controllers take to notice. */
const NOTICE_MILLIS = 20;
const OVERTAKEN_MILLIS = 100;
const FIRST_RETRY_MILLIS = 1_000;
const LONGEST_RETRY_MILLIS = 60_000;

export interface ReconcilerOptions {
  /** The actor, as the trace calls it. */
  readonly name: string;
  readonly clock: Clock;
  readonly trace: Trace;
  /** Answers after how many milliseconds to look again, or undefined. */
  readonly reconcile: (key: string) => Promise<number | undefined>;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #due = new Set<string>();
  readonly #later = new Map<string, () => void>();
  readonly #failures = new Map<string, number>();
  #isArmed = false;
  #isRunning = false;
  #isStopped = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#due.add(key);
    this.#arm();
  }

  addAfter(key: string, millis: number): void {
    if (this.#isStopped) return;
    this.#later.get(key)?.();
    const cancel = this.#options.clock.timer(millis, () => {
      this.#later.delete(key);
      this.add(key);
    });
    this.#later.set(key, cancel);
  }

  stop(): void {
    this.#isStopped = true;
    this.#due.clear();
    for (const cancel of this.#later.values()) cancel();
    this.#later.clear();
  }

  #arm(): void {
    if (this.#isArmed || this.#isRunning || this.#due.size === 0) return;
    this.#isArmed = true;
    this.#options.clock.timer(NOTICE_MILLIS, () => {
      this.#isArmed = false;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const keys = this.#due;
    this.#due = new Set();
    for (const key of keys) if (!this.#isStopped) await this.#runOne(key);
    this.#isRunning = false;
    if (!this.#isStopped) this.#arm();
  }

  async #runOne(key: string): Promise<void> {
    try {
      const again = await this.#options.reconcile(key);
      this.#failures.delete(key);
      if (again !== undefined) this.addAfter(key, again);
    } catch (error) {
      if (isOvertaken(error)) this.addAfter(key, OVERTAKEN_MILLIS);
      else this.#retry(key, error);
    }
  }

  #retry(key: string, error: unknown): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const millis = Math.min(FIRST_RETRY_MILLIS * 2 ** (failures - 1), LONGEST_RETRY_MILLIS);
    const { trace, name } = this.#options;
    trace.add(name, key, `failed: ${error instanceof Error ? error.message : String(error)}`);
    this.addAfter(key, millis);
  }
}
