/** Amounts of money in Berth's own kinds: USD/h as a JSON number. */
import { describeValue } from '../documents/part.js';
import { refuse, type Field } from '../kubernetes/field.js';

/** USD/h, or undefined when it is missing or no number. Negative: a loss. */
export function readPrice(field: Field): number | undefined {
  const { value } = field;
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  refuse(field, `must be a number of USD per hour, not ${describeValue(value)}`);
  return undefined;
}
