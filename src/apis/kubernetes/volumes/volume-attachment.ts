/** VolumeAttachments → domain. */
import type { VolumeAttachment } from '../../../domain/pods/volume.js';
import { member, optionalText, requiredText, rootField } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';

/** Decodes a storage.k8s.io VolumeAttachment. */
export function decodeVolumeAttachment(object: unknown): Decoded<VolumeAttachment> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  const nodeName = requiredText(member(spec, 'nodeName'));
  const volumeName = optionalText(member(member(spec, 'source'), 'persistentVolumeName'));
  return { value: { name, nodeName, volumeName }, findings: root.findings };
}
