/** autoscaling/v1 Scale, the subresource of a Deployment. */
import { member, optionalInteger, optionalText, rootField } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';

interface Scale {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly replicas: number;
}

const MOST = 2 ** 31 - 1;

/** Decodes a Scale; 0 replicas are left out of it. */
export function decodeScale(object: unknown): Decoded<Scale> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const metadata = member(root, 'metadata');
  const value = {
    ...name,
    uid: optionalText(member(metadata, 'uid')) ?? '',
    resourceVersion: optionalText(member(metadata, 'resourceVersion')) ?? '',
    replicas: optionalInteger(member(member(root, 'spec'), 'replicas'), 0, MOST) ?? 0,
  };
  return { value, findings: root.findings };
}
