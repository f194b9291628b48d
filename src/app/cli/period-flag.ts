/** Flags that take a period such as 7d. */
import { UsageError } from '../command/usage-error.js';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Milliseconds. @throws UsageError naming the flag. */
export function periodMillis(flag: string, text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? [];
  const millis = UNITS[unit];
  if (millis !== undefined) return Number(count) * millis;
  throw new UsageError(`--${flag} ${text}: expected a duration such as 24h, 7d or 4w`, { aboutFlags: true });
}
