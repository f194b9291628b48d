/** V1Service → the pods that it selects. */
import type { Service } from '../../../domain/pods/default-spread.js';
import { member, rootField } from './field.js';
import type { Decoded } from './finding.js';
import { readLabels } from './labels.js';
import { readObjectName } from './metadata.js';

/** Decodes a Service; one without a selector, whose endpoints are written by others, selects no pod. Never throws. */
export function decodeService(object: unknown): Decoded<Service> {
  const root = rootField(object);
  const name = readObjectName(root);
  const selector = readLabels(member(member(root, 'spec'), 'selector'));
  return { value: name && { ...name, selector }, findings: root.findings };
}
