/** Bytes from outside → JSON value, or the reason why not. */
import { isUtf8 } from 'node:buffer';
import { isDeeperThan } from './json-depth.js';
import { MAX_JSON_DEPTH } from './limits.js';
import type { RefusalCause } from './refusals.js';

export type ParsedJson =
  { readonly value: unknown } | { readonly cause: RefusalCause; readonly message: string };

/** A key that assigning would take for the prototype; JSON may spell any of its letters as an escape. */
const MAY_HOLD_PROTO = /__proto__|\\u00/i;

/**
 * Parses UTF-8 of limited depth. Objects have their own `__proto__` taken out, a key that no Kubernetes object can have;
 * `constructor` and the like stay, being legal label keys: read them as own properties.
 */
export function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) return { cause: 'not-utf8', message: 'the body is not valid UTF-8' };
  if (isDeeperThan(MAX_JSON_DEPTH, bytes)) {
    const message = `the body is nested more than ${String(MAX_JSON_DEPTH)} levels deep`;
    return { cause: 'too-deep', message };
  }
  const text = bytes.toString('utf8');
  try {
    return { value: MAY_HOLD_PROTO.test(text) ? JSON.parse(text, dropProto) : JSON.parse(text) };
  } catch {
    return { cause: 'not-json', message: 'the body is not valid JSON' };
  }
}

function dropProto(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}
