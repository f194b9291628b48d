/** What PersistentVolumeClaims ask of volumes, and what unbound volumes offer. */
import type { FreeVolume, VolumeRequest } from '../../../domain/pods/volume.js';
import { readAmounts, roundAmounts } from '../object/amounts.js';
import { hasObject, member, optionalText, type Field } from '../object/field.js';
import { readLabelSelector } from '../object/label-selector.js';
import { readLabels, readValues } from '../object/labels.js';

/** spec of a claim. */
export function readVolumeRequest(spec: Field): VolumeRequest {
  const resources = member(spec, 'resources');
  hasObject(resources);
  return {
    ...readShape(spec, member(resources, 'requests')),
    selector: readLabelSelector(member(spec, 'selector')),
  };
}

/**
 * A volume that a claim may still be bound to: an available one, or one that is reserved for a claim. A manifest
 * without a status is of a volume that will be available; one whose claim is known by its UID is bound, or was.
 */
export function readFreeVolume(root: Field): FreeVolume | undefined {
  const spec = member(root, 'spec');
  const metadata = member(root, 'metadata');
  const claimRef = member(spec, 'claimRef');
  const phase = optionalText(member(member(root, 'status'), 'phase')) ?? 'Available';
  const isKept = hasObject(claimRef);
  if (member(metadata, 'deletionTimestamp').value !== undefined) return undefined;
  if (isKept ? member(claimRef, 'uid').value !== undefined : phase !== 'Available') return undefined;
  return {
    ...readShape(spec, member(spec, 'capacity')),
    storageClassName: optionalText(member(spec, 'storageClassName')) ?? '',
    labels: readLabels(member(metadata, 'labels')),
    reservedFor: isKept
      ? `${optionalText(member(claimRef, 'namespace')) ?? ''}/${optionalText(member(claimRef, 'name')) ?? ''}`
      : undefined,
  };
}

function readShape(spec: Field, amounts: Field): Omit<VolumeRequest, 'selector'> {
  return {
    bytes: roundAmounts(readAmounts(amounts, 'any')).get('storage') ?? 0,
    accessModes: readValues(member(spec, 'accessModes')),
    volumeMode: optionalText(member(spec, 'volumeMode')) ?? 'Filesystem',
    attributesClass: optionalText(member(spec, 'volumeAttributesClassName')) ?? '',
  };
}
