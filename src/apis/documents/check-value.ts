/** Bounds what a parsed object may be before it is read: depth, size, cycles, keys that JavaScript treats specially. */
import { faultIn, type Fault } from './parsed-text.js';
import { MAX_DEPTH } from './yaml-shape.js';

/** etcd's default limit of a request, in bytes: no larger object can exist in a cluster. */
export const MAX_OBJECT_BYTES = 1.5 * 2 ** 20;

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface CheckedValue {
  readonly faults: readonly Fault[];
  /** Characters of the value as JSON, roughly; no more is counted once the limit is passed. */
  readonly size: number;
}

interface Walk {
  readonly faults: Fault[];
  /** Containers around the current one; undefined where nothing can contain itself. */
  readonly ancestors: Set<object> | undefined;
  readonly path: (string | number)[];
  size: number;
}

/** Walks one object; `hasAliases` says that its parts may be shared or contain themselves. */
export function checkValue(value: unknown, hasAliases: boolean): CheckedValue {
  const walk: Walk = { faults: [], ancestors: hasAliases ? new Set() : undefined, path: [], size: 0 };
  visit(value, walk);
  if (walk.size > MAX_OBJECT_BYTES || exactBytes(value, walk) > MAX_OBJECT_BYTES) {
    walk.faults.push(hasAliases ? EXPANDED : TOO_LARGE);
  }
  return { faults: walk.faults, size: walk.size };
}

const EXPANDED = faultIn([], 'excessive-alias', 'aliases make it larger than 1.5 MiB');
const TOO_LARGE = faultIn([], 'too-large', 'larger than 1.5 MiB, the most that etcd stores as one object');

/** Characters are at most three bytes each, so most objects need not be encoded to know that they are small. */
function exactBytes(value: unknown, walk: Walk): number {
  if (walk.faults.length > 0 || walk.size * 3 <= MAX_OBJECT_BYTES) return 0;
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function visit(value: unknown, walk: Walk): void {
  if (typeof value === 'string') walk.size += value.length + 2;
  else if (typeof value !== 'object' || value === null) walk.size += 4;
  else visitContainer(value, walk);
}

function visitContainer(value: object, walk: Walk): void {
  walk.size += 2;
  if (walk.size > MAX_OBJECT_BYTES) return;
  if (walk.ancestors?.has(value)) {
    walk.faults.push(
      faultIn([...walk.path], 'cyclic-alias', 'an alias refers to something that contains it'),
    );
    return;
  }
  if (walk.path.length > MAX_DEPTH) {
    walk.faults.push(
      faultIn(walk.path.slice(0, 5), 'too-deep', `nested deeper than ${String(MAX_DEPTH)} levels`),
    );
    return;
  }
  walk.ancestors?.add(value);
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index++) enter(index, value[index], walk);
  else visitMembers(value as Readonly<Record<string, unknown>>, walk);
  walk.ancestors?.delete(value);
}

function visitMembers(value: Readonly<Record<string, unknown>>, walk: Walk): void {
  for (const key of Object.keys(value)) {
    walk.size += key.length + 4;
    if (FORBIDDEN_KEYS.has(key)) walk.faults.push(forbidden(key, walk.path));
    else enter(key, value[key], walk);
  }
}

function forbidden(key: string, path: readonly (string | number)[]): Fault {
  return faultIn([...path, key], 'forbidden-key', `key ${JSON.stringify(key)} is not allowed anywhere`);
}

function enter(step: string | number, value: unknown, walk: Walk): void {
  walk.path.push(step);
  visit(value, walk);
  walk.path.pop();
}
