/** One replica's claim to a Lease: taking it when it is free or has run out, renewing it, giving it back. */
import type { Clock } from '../../ports/clock.js';
import type { LeaseContent, LeaseStore } from '../../ports/lease-store.js';
import { hasCode } from '../../ports/port-error.js';
import { withDeadline } from '../time/deadline.js';

/** Times of leader election, in milliseconds. */
export interface LeaseTiming {
  /** Others leave a lease alone for so long after they saw it change. */
  readonly durationMillis: number;
  /** Who could not renew for so long stops leading; less than the duration, for stopping takes time. */
  readonly renewMillis: number;
  /** From one try to the next, at most. */
  readonly retryMillis: number;
  /** A call that takes longer is given up. */
  readonly requestMillis: number;
}

/** The times of kube-controller-manager and Karpenter for their duration of 15 seconds, in proportion for any other. */
export function leaseTiming(durationMillis = 15_000): LeaseTiming {
  return {
    durationMillis,
    renewMillis: (durationMillis * 10) / 15,
    retryMillis: (durationMillis * 2) / 15,
    requestMillis: (durationMillis * 5) / 15,
  };
}

export interface LeaseClaimOptions {
  readonly store: LeaseStore;
  readonly name: string;
  /** Not another replica's. */
  readonly holder: string;
  readonly clock: Clock;
  readonly timing: LeaseTiming;
}

type Lease = Awaited<ReturnType<LeaseStore['createLease']>>;

export class LeaseClaim {
  readonly #options: LeaseClaimOptions;
  #seen: { readonly lease: Lease | undefined; readonly at: number };

  constructor(options: LeaseClaimOptions) {
    this.#options = options;
    this.#seen = { lease: undefined, at: options.clock.monotonic() };
  }

  get holder(): string {
    return this.#options.holder;
  }

  /**
   * Takes the lease if no replica holds it.
   * @returns undefined when it is ours now, else after how many milliseconds it will run out, or Infinity.
   * @throws PortError
   */
  async acquire(signal: AbortSignal): Promise<number | undefined> {
    const lease = await this.#read(signal);
    const wait = this.#waitFor(lease);
    if (wait > 0) return wait;
    try {
      await this.#write(lease, this.holder, signal);
      return undefined;
    } catch (error) {
      if (hasCode(error, 'Conflict', 'AlreadyExists', 'NotFound')) return Infinity;
      throw error;
    }
  }

  /**
   * Renews the lease that is ours.
   * @returns whether it still is.
   * @throws PortError when the outcome is unknown.
   */
  async renew(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#write(this.#seen.lease, this.holder, signal);
      return true;
    } catch (error) {
      if (!hasCode(error, 'Conflict', 'AlreadyExists', 'NotFound')) throw error;
    }
    // Another client wrote, perhaps only a label, or the response to our own write was lost.
    const lease = await this.#read(signal);
    if (lease !== undefined && lease.holder !== this.holder) return false;
    await this.#write(lease, this.holder, signal);
    return true;
  }

  /**
   * Releases the lease if it is ours, so that other replicas need not wait for it to expire.
   * @throws PortError
   */
  async release(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#clear(this.#seen.lease, signal);
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
      await this.#clear(await this.#read(signal), signal);
    }
  }

  async #clear(lease: Lease | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (lease?.holder === this.holder) await this.#write(lease, '', signal);
  }

  #waitFor(lease: Lease | undefined): number {
    if (lease === undefined || lease.holder === '' || lease.holder === this.holder) return 0;
    const { clock, timing } = this.#options;
    const duration = Math.max(lease.durationSeconds * 1000, timing.durationMillis);
    return this.#seen.at + duration - clock.monotonic();
  }

  async #read(signal: AbortSignal | undefined): Promise<Lease | undefined> {
    const { store, name } = this.#options;
    const lease = await this.#request(`read lease ${name}`, signal, (own) => store.readLease(name, own));
    this.#see(lease);
    return lease;
  }

  async #write(known: Lease | undefined, holder: string, signal: AbortSignal | undefined): Promise<void> {
    const { store, name } = this.#options;
    const content = this.#content(known, holder);
    const lease = await this.#request(`write lease ${name}`, signal, (own) =>
      known === undefined ? store.createLease(content, own) : store.replaceLease(known, content, own),
    );
    this.#see(lease);
  }

  #content(known: Lease | undefined, holder: string): LeaseContent {
    const { name, clock, timing } = this.#options;
    const now = clock.now();
    const isOurs = known?.holder === this.holder;
    const isTaken = known !== undefined && !isOurs;
    return {
      name,
      holder,
      acquiredAt: isOurs ? known.acquiredAt : now,
      renewedAt: now,
      durationSeconds: timing.durationMillis / 1000,
      transitions: (known?.transitions ?? 0) + (isTaken ? 1 : 0),
    };
  }

  /** The time of an answer, which is after the change it tells of: others are never thought to have run out too early. */
  #see(lease: Lease | undefined): void {
    const isSame = lease?.resourceVersion === this.#seen.lease?.resourceVersion;
    this.#seen = { lease, at: isSame ? this.#seen.at : this.#options.clock.monotonic() };
  }

  #request<T>(
    operation: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return withDeadline(
      { clock: this.#options.clock, millis: this.#options.timing.requestMillis, signal, operation },
      work,
    );
  }
}
