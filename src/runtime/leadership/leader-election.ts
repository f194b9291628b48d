/**
 * Which replica leads: the one that keeps renewing a Lease. After client-go's leaderelection: whether a lease has run out
 * is judged by when this replica saw it change, never by the times written in it, so that clocks may differ.
 */
import type { Clock } from '../../ports/clock.js';
import type { LeaseStore } from '../../ports/lease-store.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import { LeaderTerm, momentOf } from './leader-term.js';
import { LeaseClaim, leaseTiming, type LeaseTiming } from './lease-claim.js';
import type { Metrics } from '../metrics/metrics.js';

export interface LeaderElectionOptions {
  readonly store: LeaseStore;
  /** Of the Lease. */
  readonly name: string;
  /** Who this is, for people; what is written is made unique, so that a name used twice does not make two leaders. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  readonly timing?: LeaseTiming | undefined;
}

/** Leads until its signal is aborted, and ends soon after. */
export type Lead = (signal: AbortSignal) => Promise<void>;

/** How long leading may take to end once it must; a replica that still leads then exits. */
const WIND_DOWN_MILLIS = 15_000;

export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #timing: LeaseTiming;
  readonly #claim: LeaseClaim;
  #term: LeaderTerm | undefined;
  #complaint = '';

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#timing = options.timing ?? leaseTiming();
    const holder = `${options.identity}_${options.random.hex(8)}`;
    this.#claim = new LeaseClaim({ ...options, holder, timing: this.#timing });
    options.metrics?.leaderStatus.set({ name: options.name }, 0);
  }

  /** What stands in the Lease when this replica leads. */
  get holder(): string {
    return this.#claim.holder;
  }

  /**
   * Whether this replica leads at this moment, by the clock and not only by its last response: a process that was
   * stopped for a while is not the leader any more, even before it has found out otherwise.
   */
  isLeader(): boolean {
    return this.#term?.holds() ?? false;
  }

  /**
   * Contends, leads while it can, and contends again, until the signal is aborted; gives the lease back then. `lead` is
   * not called again before it has ended.
   * @throws Error when leading does not end in time: the process should exit then.
   */
  async run(signal: AbortSignal, lead: Lead): Promise<void> {
    while (!signal.aborted) {
      const outcome = await this.#contend(signal);
      const wait = outcome instanceof LeaderTerm ? await this.#lead(outcome, lead) : outcome;
      if (wait > 0) await this.#sleep(Math.min(wait, this.#retryMillis()), signal);
    }
  }

  /** One try: the term, or after how many milliseconds the lease will run out, as far as is known. Never rejects. */
  async #contend(signal: AbortSignal): Promise<LeaderTerm | number> {
    const { clock } = this.#options;
    const since = momentOf(clock);
    try {
      const wait = await this.#claim.acquire(signal);
      this.#complaint = '';
      if (wait !== undefined) return wait;
      return new LeaderTerm({ clock, parent: signal, since, millis: this.#timing.renewMillis });
    } catch (error) {
      if (!signal.aborted) this.#complain('Failed to contend for leadership', error);
      return Infinity;
    }
  }

  /**
   * @returns after how many milliseconds to contend again at the earliest. A process that was stopped, or cut off, for longer
   * than its term contends at once: until some replica leads, webhook and extender do without plans.
   */
  async #lead(term: LeaderTerm, lead: Lead): Promise<number> {
    const { logger, metrics, name } = this.#options;
    const fields = { lease: name, holder: this.holder };
    this.#term = term;
    metrics?.leader.set(1);
    metrics?.leaderStatus.set({ name: this.#options.name }, 1);
    logger.info('Started leading', fields);
    const renewing = this.#renew(term);
    let hasRunOut = false;
    try {
      await this.#follow(term, lead);
    } finally {
      hasRunOut = term.signal.aborted;
      term.end('leadership ended');
      this.#term = undefined;
      metrics?.leader.set(0);
      metrics?.leaderStatus.set({ name: this.#options.name }, 0);
      logger.info('Stopped leading', { ...fields, error: term.signal.reason as unknown });
    }
    await renewing;
    await this.#release();
    return hasRunOut ? 0 : Infinity;
  }

  /** Calls `lead`; from the end of the term on, only for so long. */
  #follow(term: LeaderTerm, lead: Lead): Promise<void> {
    const { clock, logger, name } = this.#options;
    return new Promise((resolve, reject) => {
      let stopTimer: (() => void) | undefined;
      const limit = (): void => {
        stopTimer = clock.timer(WIND_DOWN_MILLIS, () => {
          const message = `lease ${name}: the controllers did not stop within ${String(WIND_DOWN_MILLIS)} milliseconds after the term ended`;
          reject(new Error(message));
        });
      };
      if (!term.holds()) {
        resolve();
        return;
      }
      term.signal.addEventListener('abort', limit, { once: true });
      lead(term.signal)
        .catch((error: unknown) => {
          if (!term.signal.aborted) logger.error('Controllers failed', { lease: name, error });
        })
        .finally(() => {
          term.signal.removeEventListener('abort', limit);
          stopTimer?.();
          resolve();
        })
        .catch(() => undefined);
    });
  }

  /** Until the term ends, also when another replica turns out to hold the lease. Never rejects. */
  async #renew(term: LeaderTerm): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      await this.#sleep(this.#retryMillis(), term.signal);
      if (!term.holds()) return;
      const since = momentOf(clock);
      try {
        if (await this.#claim.renew(term.signal)) term.extend(since);
        else term.end('Another replica holds the Lease');
        this.#complaint = '';
      } catch (error) {
        if (!term.signal.aborted) this.#complain('Failed to renew the Lease', error);
      }
    }
  }

  async #release(): Promise<void> {
    const { name, logger } = this.#options;
    try {
      await this.#claim.release(undefined);
    } catch (error) {
      logger.warn('Failed to release the Lease', { lease: name, error });
    }
  }

  /** Once for each cause, not at every try. */
  #complain(message: string, error: unknown): void {
    const complaint = `${message}: ${String(error)}`;
    if (complaint !== this.#complaint)
      this.#options.logger.warn(message, { lease: this.#options.name, error });
    this.#complaint = complaint;
  }

  /** Up to a quarter less, so that replicas do not ask in step. */
  #retryMillis(): number {
    return this.#timing.retryMillis * (0.75 + this.#options.random.next() / 4);
  }

  #sleep(millis: number, signal: AbortSignal): Promise<void> {
    return this.#options.clock.sleep(millis, signal).catch(() => undefined);
  }
}
