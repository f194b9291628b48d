/** A short name for the content of a policy document. */
import type { JsonObject } from '../../domain/policies/policy.js';
import { withSortedKeys } from './sorted-keys.js';

const OFFSET_BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** FNV-1a (64 bits, 16 hexadecimal digits) of the document as JSON with sorted keys: equal documents have equal hashes. */
export function policyHash(document: JsonObject): string {
  let hash = OFFSET_BASIS;
  for (const byte of new TextEncoder().encode(JSON.stringify(withSortedKeys(document))))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
