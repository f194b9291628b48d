/** Stamps as the smallest JSON patch (RFC 6902) that makes them: it adds, and never replaces what others put there. */
import { append } from '../../domain/values/lists.js';
import { plainObject } from '../../apis/decode/plain.js';
import type { Stamp } from '../../apis/pod-defaults/pod-default.js';
import {
  isPresent,
  textsIn,
  type Addition,
  type SubmittedPod,
} from '../../apis/pod-defaults/submitted-pod.js';

export interface PatchOperation {
  readonly op: 'add';
  /** JSON pointer (RFC 6901). */
  readonly path: string;
  readonly value: unknown;
}

/** Most bytes that all annotations of an object may have, keys included (apimachinery: TotalAnnotationSizeLimitB). */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/**
 * The patch for a pod, with a record of the stamps in an annotation; empty when there are no stamps. What is added at
 * one place stands together, in the order in which `byDefault` first comes to it; each default's stamps are in their order.
 */
export function stampPatch(
  pod: SubmittedPod,
  byDefault: readonly (readonly Stamp[])[],
  record: ReadonlyMap<string, string>,
  annotation: string,
): readonly PatchOperation[] {
  const places = new Map<string, Addition[]>();
  for (const { addition } of byDefault.flat()) append(places, `/${addition.at.join('/')}`, addition);
  if (places.size === 0) return [];
  const entries = recordEntries(textsIn(pod.metadata, 'annotations'), record, annotation);
  if (entries.length > 0) places.set('/metadata/annotations', entries);
  return [...places].flatMap(([path, additions]) => operations(pod, path, additions));
}

/** Into an object or list one by one where it is there, all at once where it is not. */
function operations(
  pod: SubmittedPod,
  path: string,
  additions: readonly Addition[],
): readonly PatchOperation[] {
  const [first] = additions;
  if (first === undefined) return [];
  // The API server may have set its default by now; RFC 6902 lets `add` put another in its place.
  if (first.kind === 'field') return additions.map(({ value }) => add(path, value));
  if (isPresent(pod, first.at))
    return additions.map((addition) =>
      add(`${path}/${addition.kind === 'entry' ? escaped(addition.key) : '-'}`, addition.value),
    );
  if (first.kind === 'item')
    return [
      add(
        path,
        additions.map(({ value }) => value),
      ),
    ];
  return [
    add(
      path,
      Object.fromEntries(
        additions.flatMap((each) => (each.kind === 'entry' ? [[each.key, each.value]] : [])),
      ),
    ),
  ];
}

function add(path: string, value: unknown): PatchOperation {
  return { op: 'add', path, value };
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What was recorded before stays. Where there is no room left for the record, the pod goes without it. */
function recordEntries(
  annotations: ReadonlyMap<string, string>,
  record: ReadonlyMap<string, string>,
  annotation: string,
): Addition[] {
  const text = JSON.stringify(Object.fromEntries([...recorded(annotations.get(annotation)), ...record]));
  const others = [...annotations].filter(([key]) => key !== annotation);
  const bytes = [...others, [annotation, text]].flat().reduce((sum, part) => sum + byteLength(part), 0);
  if (bytes > MAX_ANNOTATION_BYTES) return [];
  return [{ kind: 'entry', at: ['metadata', 'annotations'], key: annotation, value: text }];
}

function recorded(text: string | undefined): readonly (readonly [field: string, name: string])[] {
  return Object.entries(plainObject(parsed(text)) ?? {}).flatMap(([field, name]) =>
    typeof name === 'string' ? [[field, name] as const] : [],
  );
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return undefined;
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
