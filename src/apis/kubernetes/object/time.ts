/** Times of the Kubernetes API (RFC 3339) as milliseconds since 1970. */
import { describeValue } from '../../documents/part.js';
import { optionalText, refuse, type Field } from './field.js';

/** Date and time with a zone; Date.parse alone would also take many other spellings. */
const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** The time, or undefined when it is missing or cannot be read. Parts finer than a millisecond are cut off. */
export function readTime(field: Field): number | undefined {
  const text = optionalText(field);
  if (text === undefined) return undefined;
  const millis = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(millis)) return millis;
  refuse(field, `must be a time such as 2026-01-31T08:00:00Z, not ${describeValue(text)}`);
  return undefined;
}

/**
 * The time as text.
 * @throws RangeError beyond the year 275760, which no clock shows.
 */
export function formatTime(millis: number): string {
  return new Date(millis).toISOString();
}

/** The time as text, cut off behind the second. */
export function formatSeconds(millis: number): string {
  return `${formatTime(millis).slice(0, 19)}Z`;
}

/** The time as the API's MicroTime, which takes exactly six digits behind the second. */
export function formatMicroTime(millis: number): string {
  return formatTime(millis).replace('Z', '000Z');
}
