/** A replica of Berth as leader election sees it: a process that can be stopped, cut off, and have a wrong clock. */
import type { Clock } from '../../src/ports/clock.js';
import type { LeaseStore } from '../../src/ports/lease-store.js';
import { PortError } from '../../src/ports/port-error.js';
import type { Random } from '../../src/ports/random.js';
import { LeaderElection, type Lead } from '../../src/runtime/leadership/leader-election.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import type { InMemoryLeaseStore } from '../support/in-memory/in-memory-lease-store.js';
import { recordingLogger, type LogLine } from '../support/recording-logger.js';
import { seededRandom } from '../../world/seeded-random.js';

export interface ReplicaOptions {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly leases: InMemoryLeaseStore;
  readonly seed?: number;
  /** How far its clock is off, in milliseconds. */
  readonly skew?: number;
  /** Chance, between 0 and 1, that something goes wrong with a request. */
  readonly faults?: number;
  /** The longest that a request or its answer takes, in milliseconds. */
  readonly latency?: number;
}

/** What can become of a request. */
const FATES = ['lost', 'refused', 'answer lost', 'answer broken', 'very late'] as const;

export class Replica {
  readonly election: LeaderElection;
  readonly lines: readonly LogLine[];
  /** Calls of `lead` that have not ended. */
  leading = 0;
  /** The most there ever were. */
  mostLeading = 0;
  isCutOff = false;
  faults: number;
  latency: number;
  readonly #options: ReplicaOptions;
  readonly #random: Random;
  readonly #stop = new AbortController();
  #isPaused = false;
  #arrived: (() => void)[] = [];
  #rang: (() => void)[] = [];

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.faults = options.faults ?? 0;
    this.latency = options.latency ?? 20;
    const { logger, lines } = recordingLogger();
    this.lines = lines;
    this.election = new LeaderElection({
      store: this.#store(),
      name: 'berth',
      identity: options.name,
      clock: this.#clock(),
      random: this.#random,
      logger,
    });
  }

  /** Starts; `lead` ends when it must, after `windDown` milliseconds. */
  start(windDown = 0, during: Lead = () => Promise.resolve()): Promise<void> {
    return this.election.run(this.#stop.signal, async (signal) => {
      this.leading++;
      this.mostLeading = Math.max(this.mostLeading, this.leading);
      await during(signal);
      await untilAborted(signal);
      if (windDown > 0) await this.#options.clock.sleep(windDown);
      this.leading--;
    });
  }

  /** As SIGTERM. */
  stop(): void {
    this.#stop.abort();
  }

  /** As SIGSTOP: neither timers nor answers come through. */
  pause(): void {
    this.#isPaused = true;
  }

  /** As SIGCONT: what arrived meanwhile comes first, since a process may well see that before its clock. */
  async resume(afterAnswers: () => void = () => undefined): Promise<void> {
    this.#isPaused = false;
    for (const arrive of this.#arrived.splice(0)) arrive();
    await this.#options.clock.settle();
    afterAnswers();
    for (const ring of this.#rang.splice(0)) ring();
    await this.#options.clock.settle();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  #clock(): Clock {
    const { clock, skew = 0 } = this.#options;
    const timer = (millis: number, callback: () => void): (() => void) => {
      let isCancelled = false;
      const ring = (): void => {
        if (isCancelled) return;
        if (this.#isPaused) this.#rang.push(ring);
        else callback();
      };
      const cancel = clock.timer(millis, ring);
      return () => {
        isCancelled = true;
        cancel();
      };
    };
    return {
      now: () => clock.now() + skew,
      monotonic: () => clock.monotonic() + skew + 1e9,
      timer,
      sleep: (millis, signal) =>
        new Promise((resolve, reject) => {
          const giveUp = (): void => {
            cancel();
            reject(new PortError('Cancelled', { operation: 'sleep', message: 'the signal was aborted' }));
          };
          const cancel = timer(millis, () => {
            signal?.removeEventListener('abort', giveUp);
            resolve();
          });
          if (signal?.aborted === true) giveUp();
          else signal?.addEventListener('abort', giveUp, { once: true });
        }),
    };
  }

  #store(): LeaseStore {
    const { leases } = this.#options;
    return {
      readLease: (name) => this.#send(() => leases.readLease(name)),
      createLease: (lease) => this.#send(() => leases.createLease(lease)),
      replaceLease: (known, lease) => this.#send(() => leases.replaceLease(known, lease)),
    };
  }

  /** Does not heed signals: what has been sent may still arrive. */
  async #send<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const fate = this.#fate();
    await clock.sleep(this.#delay());
    if (fate === 'lost') return never();
    if (fate === 'refused') throw unavailable();
    if (fate === 'very late') await clock.sleep(this.#random.next() * 30_000);
    const answer = await work().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    await clock.sleep(this.#delay());
    if (fate === 'answer lost') return never();
    if (this.#isPaused) await new Promise<void>((resolve) => this.#arrived.push(resolve));
    if (fate === 'answer broken') throw unavailable();
    return answer();
  }

  #fate(): (typeof FATES)[number] | 'fine' {
    if (this.isCutOff) return 'lost';
    if (this.#random.next() >= this.faults) return 'fine';
    return FATES[Math.floor(this.#random.next() * FATES.length)] ?? 'lost';
  }

  #delay(): number {
    return this.#random.next() * this.latency;
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function unavailable(): PortError {
  return new PortError('Unavailable', { operation: 'lease', message: 'connection reset' });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}
