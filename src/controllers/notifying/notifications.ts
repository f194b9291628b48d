/**
 * Notifies people of what waits for them, through a channel. Notifications wait in a short queue, so that no controller waits for
 * the channel; what is too much for it is left out and counted.
 */
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { NotificationChannel } from '../../ports/notification-channel.js';
import { PortError } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import { TokenBucket } from '../../runtime/concurrency/token-bucket.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';

/** What people may be notified of. */
export const NOTIFIED = ['proposed', 'decided', 'expired', 'launch-failed', 'interrupted'] as const;
export type Notified = (typeof NOTIFIED)[number];

export interface NotificationsOptions {
  readonly channel: NotificationChannel;
  readonly kinds: readonly Notified[];
  /** Before each text, so that several clusters may share a channel; '' for none. */
  readonly clusterName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Texts that wait. */
const MOST_WAITING = 100;
/** Texts of one post. */
const MOST_TOGETHER = 10;
/** Posts at once after a pause, and then one in so many seconds. */
const BURST = 3;
const SECONDS_BETWEEN = 5;
const TRIES = 5;
const BACKOFF = { baseMillis: 1000, maxMillis: 60_000 };

export class Notifications {
  readonly #options: NotificationsOptions;
  readonly #waiting: string[] = [];
  readonly #bucket: TokenBucket;
  #wake: () => void = () => undefined;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket({
      capacity: BURST,
      refillPerSecond: 1 / SECONDS_BETWEEN,
      clock: options.clock,
    });
  }

  /** Returns at once. Kinds that --notify-on does not name are not sent. */
  tell(kind: Notified, text: string): void {
    const { clusterName, kinds, metrics } = this.#options;
    if (!kinds.includes(kind)) return;
    if (this.#waiting.length >= MOST_WAITING) {
      metrics.notifications.inc({ result: 'dropped' });
      return;
    }
    this.#waiting.push(clusterName === '' ? text : `[${clusterName}] ${text}`);
    this.#wake();
  }

  /** Posts until the signal is aborted; what waits then is lost. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#filled(signal);
      const isFree = await this.#bucket.take(1, signal).then(
        () => true,
        () => false,
      );
      const texts = isFree ? this.#waiting.splice(0, MOST_TOGETHER) : [];
      if (texts.length > 0) await this.#post(texts, signal);
    }
  }

  /** Tries a few times. Never rejects. */
  async #post(texts: readonly string[], signal: AbortSignal): Promise<void> {
    const { channel, clock, logger, metrics, random } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        await channel.post(texts.join('\n'), signal);
        metrics.notifications.inc({ result: 'sent' }, texts.length);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof PortError && error.retryable) || attempt >= TRIES) {
          metrics.notifications.inc({ result: 'failed' }, texts.length);
          logger.warn('Failed to post notifications', { texts: texts.length, error });
          return;
        }
        const wait = error.retryAfterMillis ?? backoffMillis({ attempt, ...BACKOFF, random });
        await clock.sleep(Math.min(wait, BACKOFF.maxMillis), signal).catch(() => undefined);
      }
    }
  }

  #filled(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.#wake = () => undefined;
        resolve();
      };
      this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted || this.#waiting.length > 0) done();
    });
  }
}
