/** Durations as Karpenter's documents write them. */
import * as z from 'zod';

/** Turns off what the duration would start. */
export const NEVER = 'Never';

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** Seconds of a text such as `1h30m`; undefined for Never. The text must have passed one of the schemas below. */
export function durationSeconds(text: string): number | undefined {
  if (text === NEVER) return undefined;
  let seconds = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([hms])/g))
    seconds += Number(count) * (UNITS[unit ?? ''] ?? 0);
  return seconds;
}

/** Seconds as text that these schemas accept, in the largest unit that divides them: 5400 → `90m`; undefined → Never. */
export function formatDuration(seconds: number | undefined): string {
  if (seconds === undefined) return NEVER;
  const unit = Object.keys(UNITS).find((name) => seconds !== 0 && seconds % (UNITS[name] ?? 1) === 0) ?? 's';
  return `${String(seconds / (UNITS[unit] ?? 1))}${unit}`;
}

/** Hours, minutes and seconds, or Never. */
export function durationOrNever(description: string): z.ZodString {
  return z
    .string()
    .regex(
      /^(?:(?:[0-9]+[smh])+|Never)$/,
      'must be hours, minutes or seconds such as 720h, 1h30m or 30s, or Never',
    )
    .describe(description);
}

/** Hours, minutes and seconds. */
export function duration(description: string): z.ZodString {
  return z
    .string()
    .regex(/^(?:[0-9]+[smh])+$/, 'must be hours, minutes or seconds such as 1h30m or 30s')
    .describe(description);
}

/** Hours and minutes, as windows have them: cron knows no seconds. */
export function windowDuration(description: string): z.ZodString {
  return z
    .string()
    .regex(/^(?:[0-9]+[hm]|[0-9]+h[0-9]+m)(?:0s)?$/, 'must be hours and minutes such as 8h, 30m or 1h30m')
    .describe(description);
}
