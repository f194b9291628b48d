/** metadata of objects that the API server has stored: identity, version, and what says that they are going. */
import type { Labels } from '../../../domain/values/labels.js';
import { elements, member, optionalText, type Field } from './field.js';
import { readAnnotations, readLabels } from './labels.js';
import { readObjectName } from './metadata.js';
import { readTime } from './time.js';

export interface ObjectMeta {
  readonly name: string;
  /** '' for an object that was not stored yet, as in a request to a webhook. */
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds since 1970, 0 for an object that was not stored yet. */
  readonly createdAt: number;
  readonly deletionTimestamp: number | undefined;
  readonly finalizers: readonly string[];
  readonly labels: Labels;
  readonly annotations: Labels;
}

/** Reads metadata; undefined, and reported, when there is no name. */
export function readObjectMeta(root: Field): ObjectMeta | undefined {
  const name = readObjectName(root)?.name;
  if (name === undefined) return undefined;
  const metadata = member(root, 'metadata');
  return {
    name,
    ...readStored(metadata),
    finalizers: elements(member(metadata, 'finalizers')).map((item) => optionalText(item) ?? ''),
    labels: readLabels(member(metadata, 'labels')),
    annotations: readAnnotations(member(metadata, 'annotations')),
  };
}

/** What the API server adds to metadata; cheaper than all of it, where there are tens of thousands of objects. */
export function readStored(
  metadata: Field,
): Pick<ObjectMeta, 'uid' | 'resourceVersion' | 'createdAt' | 'deletionTimestamp'> {
  return {
    uid: optionalText(member(metadata, 'uid')) ?? '',
    resourceVersion: optionalText(member(metadata, 'resourceVersion')) ?? '',
    createdAt: readTime(member(metadata, 'creationTimestamp')) ?? 0,
    deletionTimestamp: readTime(member(metadata, 'deletionTimestamp')),
  };
}
