/** A short name for the content of a policy document. */
import type { JsonObject } from '../../domain/policy.js';

const OFFSET_BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** FNV-1a (64 bits, 16 hexadecimal digits) of the document as JSON with sorted keys: equal documents have equal hashes. */
export function policyHash(document: JsonObject): string {
  let hash = OFFSET_BASIS;
  for (const byte of new TextEncoder().encode(JSON.stringify(sorted(document))))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}

/** The value with the keys of all objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
