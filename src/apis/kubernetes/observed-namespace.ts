/** V1Namespace of the API server → its labels and identity. */
import { member, rootField } from './field.js';
import type { Decoded } from './finding.js';
import { decodeNamespace, type Namespace } from './namespace.js';
import { readStored } from './object-meta.js';

export interface ObservedNamespace extends Namespace {
  readonly uid: string;
}

/** Decodes a namespace as watched. Never throws. */
export function decodeObservedNamespace(object: unknown): Decoded<ObservedNamespace> {
  const { value, findings } = decodeNamespace(object);
  if (value === undefined) return { value: undefined, findings };
  const root = rootField(object);
  const { uid } = readStored(member(root, 'metadata'));
  return { value: { ...value, uid }, findings: [...findings, ...root.findings] };
}
