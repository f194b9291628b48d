/** Something done again and again. */
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { withDeadline } from '../time/deadline.js';

export interface PeriodicOptions {
  /** From the end of one run to the start of the next. */
  readonly everyMillis: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly task: (signal: AbortSignal) => Promise<unknown>;
  readonly logger: Logger;
  /** For log lines. */
  readonly name?: string | undefined;
  /** A run is given up after so long; without it, after `everyMillis`, but not before a minute. */
  readonly timeoutMillis?: number | undefined;
}

const MINUTE_MILLIS = 60_000;

/** Does it at once and then periodically, until the signal is aborted. What fails is logged and tried again next time. */
export async function periodic(options: PeriodicOptions): Promise<void> {
  const { everyMillis, clock, signal } = options;
  while (!signal.aborted) {
    await once(options);
    await clock.sleep(everyMillis, signal).catch(() => undefined);
  }
}

/** Never rejects. */
async function once({ everyMillis, clock, signal, task, logger, ...rest }: PeriodicOptions): Promise<void> {
  const { name = 'task', timeoutMillis = Math.max(everyMillis, MINUTE_MILLIS) } = rest;
  try {
    await withDeadline({ clock, millis: timeoutMillis, signal, operation: name }, task);
  } catch (error) {
    if (!signal.aborted) logger.error('Periodic task failed', { task: name, error });
  }
}
