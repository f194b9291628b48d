/**
 * Changes as JSON patches (RFC 6902) that test only what they rely on: clients that write to other parts of the object at
 * the same moment, as kubelet and the node life cycle do all the time, is no conflict.
 */
import type { Labels } from '../../../domain/values/labels.js';
import type { ListChange } from '../../../ports/kube-writer.js';

/** One operation; a test for null holds where there is nothing. */
export interface PatchOperation {
  readonly op: 'test' | 'add' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** Another object of the name is not meant. */
export function sameObject({ uid }: { readonly uid: string }): PatchOperation {
  return { op: 'test', path: '/metadata/uid', value: uid };
}

/** A field that has the one value and gets the other; undefined is no field. */
export function changeValue(path: string, from: unknown, to: unknown): readonly PatchOperation[] {
  const test = { op: 'test', path, value: from ?? null } as const;
  if (to !== undefined) return [test, { op: 'add', path, value: to }];
  return from === undefined ? [test] : [test, { op: 'remove', path }];
}

/** Entries of a map of texts, whatever they are now; null takes one away. `isThere`: whether the object has the map. */
export function changeEntries(
  path: string,
  known: Labels,
  change: Readonly<Record<string, string | null>> = {},
  isThere = known.size > 0,
): readonly PatchOperation[] {
  const entries = Object.entries(change).filter(([key, value]) => value !== null || known.has(key));
  if (entries.length === 0) return [];
  if (!isThere) return changeValue(path, undefined, Object.fromEntries(entries));
  return entries.map(([key, value]) => {
    const at = `${path}/${escaped(key)}`;
    return value === null ? { op: 'remove', path: at } : { op: 'add', path: at, value };
  });
}

export interface ListTerms<T> {
  readonly path: string;
  /** The list as it was seen. */
  readonly known: readonly T[];
  /** What tells items apart, as paths below an item (`''` for the item itself) with their values. */
  readonly identity: (item: T) => readonly (readonly [path: string, value: string])[];
  readonly encode: (item: T) => unknown;
}

/** Items go from where they were seen, and nowhere else; new ones come last. */
export function changeList<T>(terms: ListTerms<T>, change: ListChange<T> = {}): readonly PatchOperation[] {
  const { path, known, identity, encode } = terms;
  const key = (item: T): string => JSON.stringify(identity(item));
  const unwanted = new Set((change.remove ?? []).map(key));
  const removed = [...known.entries()].filter(([, item]) => unwanted.has(key(item)));
  const removals = removed.reverse().flatMap(([index, item]): readonly PatchOperation[] => {
    const at = `${path}/${String(index)}`;
    const tests = identity(item).map(
      ([below, value]) => ({ op: 'test', path: `${at}${below}`, value }) as const,
    );
    return [...tests, { op: 'remove', path: at }];
  });
  const added = (change.add ?? []).map(encode);
  if (added.length === 0) return removals;
  const additions =
    known.length === 0
      ? changeValue(path, undefined, added)
      : added.map((value) => ({ op: 'add', path: `${path}/-`, value }) as const);
  return [...removals, ...additions];
}

/** metadata.finalizers. */
export function changeFinalizers(
  known: readonly string[],
  change: ListChange<string> | undefined,
): readonly PatchOperation[] {
  const terms: ListTerms<string> = {
    path: '/metadata/finalizers',
    known,
    identity: (finalizer) => [['', finalizer]],
    encode: (finalizer) => finalizer,
  };
  return changeList(terms, change);
}

/** RFC 6901, section 3. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
