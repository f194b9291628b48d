/** V1Namespace → its labels. */
import type { Labels } from '../../../domain/values/labels.js';
import { member, rootField } from './field.js';
import type { Decoded } from './finding.js';
import { readLabels } from './labels.js';
import { readObjectName } from './metadata.js';

/** The label that the API server gives every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

export interface Namespace {
  readonly name: string;
  readonly labels: Labels;
}

/** Decodes a namespace; its name is one of its labels, as in every cluster. */
export function decodeNamespace(object: unknown): Decoded<Namespace> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  const labels = readLabels(member(member(root, 'metadata'), 'labels'));
  const value = name === undefined ? undefined : { name, labels: new Map([...labels, [NAME_LABEL, name]]) };
  return { value, findings: root.findings };
}
