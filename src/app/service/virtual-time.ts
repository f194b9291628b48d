/** The time of an embedded world: it runs faster than the machine's, and both processes know how. */

export interface VirtualTime {
  /** How many times as fast as the machine's time. */
  readonly speed: number;
  /** The moment at which both are the same, in milliseconds since 1970; it may be to come. */
  readonly epochMillis: number;
}

/** A faster world leaves calls on loopback too little of its seconds. */
export const MOST_SPEED = 30;

/**
 * Reads `SPEED@EPOCH_MILLIS`.
 * @throws RangeError saying what is expected.
 */
export function parseVirtualTime(text: string): VirtualTime {
  const match = /^(\d{1,3}(?:\.\d{1,3})?)@(\d{1,15})$/.exec(text);
  const speed = Number(match?.[1]);
  if (match === null || !(speed >= 1 && speed <= MOST_SPEED))
    throw new RangeError(`expected SPEED@EPOCH_MILLIS with a speed from 1 to ${String(MOST_SPEED)}`);
  return { speed, epochMillis: Number(match[2]) };
}
