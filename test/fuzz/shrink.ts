/** Makes a failing problem smaller while it still fails in the same way. */
import type { Json } from './random-workload.js';

/** Every document with one part of it left out, biggest parts first; and lists of documents with one less. */
function* smaller(documents: readonly Json[]): Generator<readonly Json[]> {
  for (let index = documents.length - 1; index >= 0; index--)
    yield documents.filter((_, other) => other !== index);
  for (const [index, document] of documents.entries())
    for (const changed of without(document))
      yield documents.map((other, at) => (at === index ? (changed as Json) : other));
}

function* without(value: unknown): Generator {
  if (Array.isArray(value)) yield* shorterList(value);
  else if (typeof value === 'object' && value !== null) yield* smallerObject(value as Json);
  else if (typeof value === 'number' && value > 1) yield value - 1;
}

function* shorterList(list: readonly unknown[]): Generator {
  if (list.length > 1) for (const index of list.keys()) yield list.filter((_, at) => at !== index);
  for (const [index, item] of list.entries())
    for (const changed of without(item)) yield list.map((other, at) => (at === index ? changed : other));
}

function* smallerObject(record: Json): Generator {
  for (const key of Object.keys(record))
    yield Object.fromEntries(Object.entries(record).filter(([other]) => other !== key));
  for (const [key, item] of Object.entries(record))
    for (const changed of without(item)) yield { ...record, [key]: changed };
}

/** `fails` says whether documents still fail as the first ones did; it is asked `tries` times at most. */
export function shrink(
  documents: readonly Json[],
  fails: (documents: readonly Json[]) => boolean,
  tries: number,
): readonly Json[] {
  let smallest = documents;
  let left = tries;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smaller(smallest)) {
      if (left-- <= 0) return smallest;
      if (!fails(candidate)) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}
