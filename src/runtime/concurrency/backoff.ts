/** How long to wait before trying again. */
import type { Random } from '../../ports/random.js';

export interface Backoff {
  /** Failures so far, at least 1. */
  readonly attempt: number;
  readonly baseMillis: number;
  readonly maxMillis: number;
  readonly random: Random;
}

/** The base, doubled with every further failure up to the maximum; of that a random part between one half and all. */
export function backoffMillis({ attempt, baseMillis, maxMillis, random }: Backoff): number {
  const whole = Math.min(baseMillis * 2 ** (Math.max(attempt, 1) - 1), maxMillis);
  return (whole * (1 + random.next())) / 2;
}
