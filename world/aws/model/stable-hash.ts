/** Numbers and ids that depend on a text alone: what shall be the same in every run. */
import { createHash } from 'node:crypto';

/** At least 0, less than 1; neighbouring texts give unrelated numbers (FNV-1a, mixed again). */
export function hashFraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** An id as AWS writes them: the prefix, a zero and sixteen hexadecimal digits. */
export function stableID(prefix: string, text: string): string {
  return `${prefix}-0${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
