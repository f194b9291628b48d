/** An interruption queue in memory: what is not deleted is shown again after its visibility time-out. */
import type { Clock } from '../../../src/ports/clock.js';
import type {
  Interruption,
  InterruptionQueue,
  ReceivedInterruption,
} from '../../../src/ports/interruption-queue.js';
import { PortError } from '../../../src/ports/port-error.js';

const VISIBILITY_MILLIS = 30_000;
/** Long polling: an answer comes with a message, else when this time is over. */
const WAIT_MILLIS = 20_000;
const DELIVERY_MILLIS = 500;

interface Stored {
  readonly message: ReceivedInterruption;
  hiddenUntil: number;
}

export class MemoryQueue implements InterruptionQueue {
  readonly #clock: Clock;
  readonly #stored = new Map<string, Stored>();
  #sent = 0;
  #wake: () => void = () => undefined;
  /** How often `receive` fails from now on. */
  failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#stored.size;
  }

  /** Sends it; `copies` of it, as SQS may. */
  send(interruption: Interruption, copies = 1, sentAt = this.#clock.now()): void {
    this.#sent++;
    for (let copy = 0; copy < copies; copy++) {
      const receipt = `receipt-${String(this.#sent)}-${String(copy)}`;
      const message = { id: `id-${String(this.#sent)}`, receipt, sentAt, interruption };
      this.#stored.set(receipt, { message, hiddenUntil: 0 });
    }
    this.#clock.timer(DELIVERY_MILLIS, () => {
      this.#wake();
    });
  }

  async receive(signal?: AbortSignal): Promise<readonly ReceivedInterruption[]> {
    await this.#delivery(signal);
    if (this.failures > 0) {
      this.failures--;
      throw new PortError('Unavailable', { operation: 'receive', message: 'planted by the test' });
    }
    const now = this.#clock.now();
    const visible = this.#visible();
    for (const stored of visible) stored.hiddenUntil = now + VISIBILITY_MILLIS;
    return visible.map(({ message }) => message);
  }

  delete(receipts: readonly string[]): Promise<void> {
    for (const receipt of receipts) this.#stored.delete(receipt);
    return Promise.resolve();
  }

  /** Until something may be there, or the time is over. @throws PortError Cancelled. */
  #delivery(signal: AbortSignal | undefined): Promise<void> {
    if (this.#visible().length > 0) return this.#clock.sleep(DELIVERY_MILLIS, signal);
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      this.#clock.sleep(this.#nextMillis(), signal).then(resolve, reject);
    });
  }

  /** What is hidden is shown again at its time. */
  #nextMillis(): number {
    const now = this.#clock.now();
    return Math.min(WAIT_MILLIS, ...[...this.#stored.values()].map(({ hiddenUntil }) => hiddenUntil - now));
  }

  #visible(): readonly Stored[] {
    const now = this.#clock.now();
    return [...this.#stored.values()].filter(({ hiddenUntil }) => hiddenUntil <= now);
  }
}
