/** Bytes from outside → JSON value, or the reason why not. */
import { isUtf8 } from 'node:buffer';
import { shapeOf } from './json-shape.js';
import { MAX_JSON_DEPTH } from './limits.js';
import type { RefusalCause } from './refusals.js';

export type ParsedJson =
  { readonly value: unknown } | { readonly cause: RefusalCause; readonly message: string };

/**
 * Parses UTF-8 of limited depth and number of values. Objects have their own `__proto__` taken out, a key that assigning
 * would take for the prototype and no Kubernetes object can have; `constructor` and the like stay, being legal label
 * keys: read them as own properties. Only a body with such a key is walked: escapes elsewhere, as Go writes `<`, `>` and
 * `&`, cost nothing.
 */
export function parseJson(bytes: Buffer, maxValues: number): ParsedJson {
  if (!isUtf8(bytes)) return { cause: 'not-utf8', message: 'the body is not valid UTF-8' };
  const { fault, hasProto } = shapeOf(bytes, { maxDepth: MAX_JSON_DEPTH, maxValues });
  if (fault === 'too-deep')
    return { cause: fault, message: `the body is nested more than ${String(MAX_JSON_DEPTH)} levels deep` };
  if (fault === 'too-many-values')
    return { cause: fault, message: `the body has more than ${String(maxValues)} values` };
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (hasProto) dropProto(value);
    return { value };
  } catch {
    return { cause: 'not-json', message: 'the body is not valid JSON' };
  }
}

/** JSON.parse makes `__proto__` an own property like any other, which can be deleted like any other. */
function dropProto(root: unknown): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
    for (const child of Object.values(value)) if (typeof child === 'object') open.push(child);
  }
}
