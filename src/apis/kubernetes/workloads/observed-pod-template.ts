/** core PodTemplate → domain. */
import type { PodTemplate } from '../../../domain/pods/pod-template.js';
import { plainObject } from '../../decode/plain.js';
import { member, rootField } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';
import { readStored } from '../object/object-meta.js';
import { decodePod } from '../pods/pod.js';
import { podContext, type PodContext } from '../pods/pod-context.js';

/** Decodes a PodTemplate as though its pod stood there. Never throws. */
export function decodePodTemplate(object: unknown, context: PodContext = podContext()): Decoded<PodTemplate> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const { uid, resourceVersion } = readStored(member(root, 'metadata'));
  const template = plainObject(member(root, 'template').value);
  const metadata = { ...plainObject(template?.['metadata']), ...name };
  const { value: pod, findings } = decodePod({ metadata, spec: template?.['spec'] }, context);
  return {
    value: pod && { ...name, uid, resourceVersion, pod },
    findings: [...root.findings, ...findings],
  };
}
