/** The five fields of a cron schedule in the grammar that Kubernetes' CronJobs and Karpenter's budgets accept. */

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
