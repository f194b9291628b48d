/** V1Namespace of the API server → its labels and identity. */
import type { Labels } from '../../../domain/values/labels.js';
import { member, rootField } from './field.js';
import type { Decoded } from './finding.js';
import { readAnnotations } from './labels.js';
import { decodeNamespace, type Namespace } from './namespace.js';
import { readStored } from './object-meta.js';

export interface ObservedNamespace extends Namespace {
  readonly uid: string;
  readonly annotations: Labels;
}

/** Decodes a namespace as watched. Never throws. */
export function decodeObservedNamespace(object: unknown): Decoded<ObservedNamespace> {
  const { value, findings } = decodeNamespace(object);
  if (value === undefined) return { value: undefined, findings };
  const root = rootField(object);
  const metadata = member(root, 'metadata');
  const { uid } = readStored(metadata);
  const annotations = readAnnotations(member(metadata, 'annotations'));
  return { value: { ...value, uid, annotations }, findings: [...findings, ...root.findings] };
}
