/** A fingerprint of a value that does not depend on the order of its keys. */
import { createHash } from 'node:crypto';
import { withSortedKeys } from '../../../../apis/berth/sorted-keys.js';

/** Hexadecimal, 64 characters. What is undefined counts as missing. */
export function stableHash(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(withSortedKeys(value)))
    .digest('hex');
}
