/** Cron schedules with time zones, and the windows they open. */
import { Cron } from 'croner';

/** Names that Kubernetes' cron accepts for common schedules. */
const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

export interface Schedule {
  /** As the user wrote it. */
  readonly text: string;
  /** IANA name; Karpenter's budgets are always UTC. */
  readonly timeZone: string;
}

/**
 * Checks a schedule: five fields or a macro, and a time zone that exists. Day-of-month and day-of-week restrict
 * together as in cron: when both are restricted, either suffices. A date that no year has is accepted and never fires.
 * @throws RangeError saying what is wrong.
 */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  const schedule = { text: text.trim(), timeZone };
  jobOf(schedule);
  return schedule;
}

/** Parsing is far more expensive than asking, and schedules are asked often; the value itself stays plain data. */
const jobs = new WeakMap<Schedule, Job>();

interface Job {
  /** undefined: it never fires, which croner would otherwise search four hundred years for at every call. */
  readonly cron: Cron | undefined;
}

function jobOf(schedule: Schedule): Job {
  const known = jobs.get(schedule);
  if (known) return known;
  const cron = compile(schedule);
  const job = { cron: cron.nextRun(new Date(0)) === null ? undefined : cron };
  jobs.set(schedule, job);
  return job;
}

/**
 * Times fixed by the schedule that a change of clocks skips fire when the clocks have changed, and those it repeats
 * fire once; schedules with a wildcard or a step in minute or hour follow the clock (as Vixie cron). So a daily window
 * opens exactly once on every day.
 */
function compile(schedule: Schedule): Cron {
  try {
    const pattern = cronPattern(fieldsOf(schedule.text));
    checkTimeZone(schedule.timeZone);
    // An offset spares croner the calendar of a zone that has no changes.
    const zone = schedule.timeZone === 'UTC' ? { utcOffset: 0 } : { timezone: schedule.timeZone };
    return new Cron(pattern, { ...zone, mode: '5-part', fixedTimeRule: 'no-wildcard' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RangeError(`schedule ${JSON.stringify(schedule.text.slice(0, 100))}: ${why}`, { cause: error });
  }
}

function fieldsOf(text: string): string[] {
  const fields = (MACROS.get(text) ?? text).split(/\s+/).filter((field) => field !== '');
  const [first = ''] = fields;
  if (/^(?:CRON_)?TZ=/.test(first))
    throw new RangeError(`${first} is not allowed; the time zone is a field of its own`);
  if (first.startsWith('@')) throw new RangeError(`unknown macro; allowed: ${[...MACROS.keys()].join(', ')}`);
  return fields;
}

/** Offsets such as +02:00 are refused: only some versions of Node know them. */
function checkTimeZone(timeZone: string): void {
  try {
    if (!/^[A-Za-z]/.test(timeZone)) throw new RangeError('not a name');
    new Intl.DateTimeFormat('en-US', { timeZone });
  } catch (error) {
    const name = JSON.stringify(timeZone.slice(0, 100));
    throw new RangeError(`time zone ${name} is unknown; an IANA name such as Europe/Paris is needed`, {
      cause: error,
    });
  }
}

/** The first time, in milliseconds since the epoch, at which the schedule fires after `after`; undefined when never. */
export function nextFire(schedule: Schedule, after: number): number | undefined {
  return jobOf(schedule).cron?.nextRun(new Date(after))?.getTime();
}

/**
 * Whether a window of the schedule is open at `now`: it fired within the last `durationSeconds`
 * (the start is inside, the end outside). `now` in milliseconds since the epoch.
 */
export function isWindowOpen(schedule: Schedule, durationSeconds: number, now: number): boolean {
  // Nothing fired before 1970, and dates too far back do not exist.
  const fired = nextFire(schedule, Math.max(0, now - durationSeconds * 1000));
  return fired !== undefined && fired <= now;
}

// The five fields of a cron schedule in the grammar that Kubernetes' CronJobs and Karpenter's budgets accept.

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Three-letter names of the values, from `min` on. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** In the order in which they are written. Sunday is 0 only: 7 is refused, as Kubernetes does. */
const CRON_FIELDS: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day-of-month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day-of-week', min: 0, max: 6, names: WEEKDAYS },
];

/** A wildcard, a value or a range, each with an optional step. */
const ITEM = /^(?:([*?])|([0-9a-z]+)(?:-([0-9a-z]+))?)(?:\/(\d+))?$/i;

/**
 * Checks five fields and spells them as plainly as croner needs: wildcards and their steps stay, all else
 * becomes lists of numbers. `5/15` means from 5 to the end in steps of 15.
 * @throws RangeError naming the field, its text and what it may be.
 */
export function cronPattern(fields: readonly string[]): string {
  if (fields.length !== CRON_FIELDS.length) {
    const names = CRON_FIELDS.map((field) => field.name).join(' ');
    throw new RangeError(`has ${String(fields.length)} fields; cron here has 5: ${names}`);
  }
  return CRON_FIELDS.map((field, index) => spell(field, fields[index] ?? '')).join(' ');
}

function spell(field: CronField, text: string): string {
  const items = text.split(',').map((item) => spellItem(field, item));
  // A star in a list makes the whole field unrestricted, which decides how the two day fields combine.
  return items.includes('*') ? '*' : items.join(',');
}

function spellItem(field: CronField, text: string): string {
  const match = ITEM.exec(text);
  if (!match) throw refused(field, text, 'is not a value, a range or a step');
  const [, wildcard, first = '', last, step] = match;
  const by = step === undefined ? 1 : Number(step);
  if (by === 0) throw refused(field, text, 'has a step of 0');
  if (wildcard !== undefined) return spellWildcard(field, by);
  const from = valueOf(field, first, text);
  const to = last === undefined ? (step === undefined ? from : field.max) : valueOf(field, last, text);
  if (from > to) throw refused(field, text, 'starts after its end');
  return spellRange(from, to, by);
}

/** croner refuses a step wider than the field; such a step leaves the first value alone. */
function spellWildcard(field: CronField, by: number): string {
  if (by === 1) return '*';
  return by > field.max - field.min ? String(field.min) : `*/${String(by)}`;
}

function spellRange(from: number, to: number, by: number): string {
  const values: number[] = [];
  for (let value = from; value <= to; value += by) values.push(value);
  return values.join(',');
}

function valueOf(field: CronField, text: string, item: string): number {
  const named = field.names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + field.min : /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= field.min && value <= field.max) return value;
  throw refused(field, item, 'is out of range');
}

function refused(field: CronField, text: string, why: string): RangeError {
  const [first] = field.names;
  const last = field.names.at(-1);
  const names = first === undefined || last === undefined ? '' : ` or ${first}-${last}`;
  const allowed = `${String(field.min)}-${String(field.max)}${names}`;
  return new RangeError(
    `${field.name} ${JSON.stringify(text)} ${why}; allowed: ${allowed}, *, lists, ranges and /steps`,
  );
}
