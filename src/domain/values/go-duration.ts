/** Durations as Go writes and reads them, for annotations that Karpenter reads with time.ParseDuration. */

/** Milliseconds of each unit that Go knows; both spellings of micro, U+00B5 and U+03BC. */
const UNIT_MILLIS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const AMOUNT = String.raw`(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)`;
const DURATION = new RegExp(`^[-+]?(?:${AMOUNT})+$`);
/** Go holds a duration in 64 bits of nanoseconds, about 292 years; more is an error. */
const MOST_MILLIS = 2 ** 63 / 1e6;

/**
 * Milliseconds of a text such as `1h30m`, `1.5h` or `-90000ms`; undefined for what Go's time.ParseDuration refuses
 * (Go: package time). A number without a unit is refused unless it is 0.
 */
export function goDurationMillis(text: string): number | undefined {
  if (/^[-+]?0$/.test(text)) return 0;
  if (!DURATION.test(text)) return undefined;
  let millis = 0;
  for (const [, amount, unit = ''] of text.matchAll(new RegExp(AMOUNT, 'g')))
    millis += Number(amount) * (UNIT_MILLIS.get(unit) ?? 0);
  if (millis > MOST_MILLIS) return undefined;
  return text.startsWith('-') ? -millis : millis;
}
