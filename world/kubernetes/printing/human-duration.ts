/** Durations as kubectl prints them (apimachinery's pkg/util/duration, HumanDuration). */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Until which age, in seconds, what is shown: the larger unit, and from it the smaller one where there is one. */
const STEPS = [
  { until: 2 * MINUTE, unit: 1, name: 's' },
  { until: 10 * MINUTE, unit: MINUTE, name: 'm', smaller: 1, smallerName: 's' },
  { until: 3 * HOUR, unit: MINUTE, name: 'm' },
  { until: 8 * HOUR, unit: HOUR, name: 'h', smaller: MINUTE, smallerName: 'm' },
  { until: 2 * DAY, unit: HOUR, name: 'h' },
  { until: 8 * DAY, unit: DAY, name: 'd', smaller: HOUR, smallerName: 'h' },
  { until: 2 * YEAR, unit: DAY, name: 'd' },
  { until: 8 * YEAR, unit: YEAR, name: 'y', smaller: DAY, smallerName: 'd' },
] as const;

export function humanDuration(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const step = STEPS.find(({ until }) => seconds < until);
  if (step === undefined) return `${String(Math.floor(seconds / YEAR))}y`;
  const large = `${String(Math.floor(seconds / step.unit))}${step.name}`;
  if (!('smaller' in step)) return large;
  const left = Math.floor((seconds % step.unit) / step.smaller);
  return left === 0 ? large : `${large}${String(left)}${step.smallerName}`;
}

/** How long ago a moment is; `<unknown>` where there is none. */
export function ageOf(time: unknown, nowMillis: number): string {
  const at = typeof time === 'string' ? Date.parse(time) : NaN;
  return Number.isNaN(at) ? '<unknown>' : humanDuration(nowMillis - at);
}
