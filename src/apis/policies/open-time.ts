/** How much of the time windows of a schedule are open. */
import { nextFire, type Schedule } from '../../domain/values/schedule.js';

/** Any fixed moment does: whether a schedule ever fires, and how far apart, does not depend on today. */
const START = Date.UTC(2024, 0, 1);
/** Enough to see every gap of a daily or weekly schedule, and of hours and minutes within a day. */
const FIRES = 120;

/** `never`: the schedule does not fire; `always`: each window lasts until the next one opens; else `sometimes`. */
export function openTime(schedule: Schedule, durationSeconds: number): 'never' | 'sometimes' | 'always' {
  let last = nextFire(schedule, START);
  if (last === undefined) return 'never';
  for (let count = 0; count < FIRES; count++) {
    const next = nextFire(schedule, last);
    if (next === undefined || next - last > durationSeconds * 1000) return 'sometimes';
    last = next;
  }
  return 'always';
}
