/** PersistentVolumes, PersistentVolumeClaims, StorageClasses and VolumeAttachments → domain. */
import type { NodeSelectorTerm } from '../../../domain/pods/affinity.js';
import { type Labels, REGION, ZONE } from '../../../domain/values/labels.js';
import { requirement } from '../../../domain/values/requirement.js';
import { NO_REQUIREMENTS, requirementsOf } from '../../../domain/values/requirements.js';
import type {
  FreeVolume,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
  VolumeRequest,
} from '../../../domain/pods/volume.js';
import {
  type Field,
  hasObject,
  member,
  optionalChoice,
  optionalText,
  requiredText,
  rootField,
} from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readAnnotations, readLabels, readValues, withCurrentLabels } from '../object/labels.js';
import { readObjectName } from '../object/metadata.js';
import { readNodeSelectorTerms, readTopologySelector } from '../object/node-selector.js';
import { readAmounts, roundAmounts } from '../object/amounts.js';
import { readLabelSelector } from '../object/label-selector.js';

const EBS_DRIVER = 'ebs.csi.aws.com';
const IN_TREE_EBS = 'kubernetes.io/aws-ebs';
/** The volume controller sets it when claim and volume know each other (component-helpers storage/volume). */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Separates the zones of a volume that is in several (volumehelpers.LabelZonesToSet). */
const ZONE_SEPARATOR = '__';

/** Decodes a PersistentVolume. Zone and region labels bind it as kube-scheduler's VolumeZone does. */
export function decodePersistentVolume(object: unknown): Decoded<PersistentVolume> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  hasObject(spec);
  const value = {
    name,
    driver: readDriver(spec),
    nodeAffinity: readNodeSelectorTerms(member(member(spec, 'nodeAffinity'), 'required')),
    zones: zonesOf(readLabels(member(member(root, 'metadata'), 'labels'))),
    free: readFreeVolume(root),
  };
  return { value, findings: root.findings };
}

/** In-tree EBS volumes are attached by the EBS CSI driver (CSI migration, locked on). */
function readDriver(spec: Field): string | undefined {
  const csi = member(spec, 'csi');
  if (hasObject(csi)) return requiredText(member(csi, 'driver'));
  return member(spec, 'awsElasticBlockStore').value === undefined ? undefined : EBS_DRIVER;
}

/** Where the labels say the volume is, or where no node says anything of the kind (VolumeZone). */
function zonesOf(labels: Labels): readonly NodeSelectorTerm[] | undefined {
  const current = withCurrentLabels(labels);
  const there = [ZONE, REGION].flatMap((key) => {
    const value = current.get(key);
    return value === undefined ? [] : [requirement(key, 'In', value.split(ZONE_SEPARATOR))];
  });
  if (there.length === 0) return undefined;
  const nowhere = [ZONE, REGION].map((key) => requirement(key, 'DoesNotExist'));
  return [there, nowhere].map((items) => ({ labels: requirementsOf(items), fields: NO_REQUIREMENTS }));
}

/** Decodes a PersistentVolumeClaim. */
export function decodePersistentVolumeClaim(object: unknown): Decoded<PersistentVolumeClaim> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  const metadata = member(root, 'metadata');
  const annotations = readAnnotations(member(metadata, 'annotations'));
  const volumeName = optionalText(member(spec, 'volumeName')) ?? '';
  const phase = optionalText(member(member(root, 'status'), 'phase'));
  const isPrebound = volumeName !== '' && phase === 'Pending' && !annotations.has(BIND_COMPLETED);
  const isTerminating = member(metadata, 'deletionTimestamp').value !== undefined;
  const value = {
    name: `${name.namespace}/${name.name}`,
    volumeName: volumeName === '' ? undefined : volumeName,
    storageClassName:
      annotations.get('volume.beta.kubernetes.io/storage-class') ??
      optionalText(member(spec, 'storageClassName')),
    readWriteOncePod: readValues(member(spec, 'accessModes')).includes('ReadWriteOncePod'),
    request: readVolumeRequest(spec),
    hold: isTerminating ? ('Terminating' as const) : isPrebound ? ('Prebound' as const) : undefined,
  };
  return { value, findings: root.findings };
}

const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'] as const;
const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Decodes a storage.k8s.io StorageClass. */
export function decodeStorageClass(object: unknown): Decoded<StorageClass> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  if (name === undefined) return { value: undefined, findings: root.findings };
  const annotations = readAnnotations(member(member(root, 'metadata'), 'annotations'));
  const provisioner = requiredText(member(root, 'provisioner'));
  const value = {
    name,
    provisioner: provisioner === IN_TREE_EBS ? EBS_DRIVER : provisioner,
    bindingMode: optionalChoice(member(root, 'volumeBindingMode'), BINDING_MODES) ?? 'Immediate',
    allowedTopologies: readTopologySelector(member(root, 'allowedTopologies')),
    isDefault: DEFAULT_CLASS.some((key) => annotations.get(key) === 'true'),
  };
  return { value, findings: root.findings };
}

/** spec of a claim. */
function readVolumeRequest(spec: Field): VolumeRequest {
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
function readFreeVolume(root: Field): FreeVolume | undefined {
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
