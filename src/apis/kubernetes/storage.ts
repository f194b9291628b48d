/** PersistentVolumes, PersistentVolumeClaims and StorageClasses → domain. */
import type { NodeSelectorTerm } from '../../domain/affinity.js';
import { REGION, ZONE, type Labels } from '../../domain/labels.js';
import { requirement } from '../../domain/requirement.js';
import {
  intersectRequirements,
  NO_REQUIREMENTS,
  requirementsOf,
  type Requirements,
} from '../../domain/requirements.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../domain/volume.js';
import {
  hasObject,
  member,
  optionalChoice,
  optionalText,
  requiredText,
  rootField,
  type Field,
} from './field.js';
import type { Decoded } from './finding.js';
import { readAnnotations, readLabels, readValues, withCurrentLabels } from './labels.js';
import { readObjectName } from './metadata.js';
import { readNodeSelectorTerms, readTopologySelector } from './node-selector.js';

const EBS_DRIVER = 'ebs.csi.aws.com';
/** Separates the zones of a volume that is in several (volumehelpers.LabelZonesToSet). */
const ZONE_SEPARATOR = '__';

/** Decodes a PersistentVolume. Zone and region labels bind it as kube-scheduler's VolumeZone does. */
export function decodePersistentVolume(object: unknown): Decoded<PersistentVolume> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  hasObject(spec);
  const placed = labelRequirements(readLabels(member(member(root, 'metadata'), 'labels')));
  const terms = readNodeSelectorTerms(member(member(spec, 'nodeAffinity'), 'required'));
  return {
    value: { name, driver: readDriver(spec), nodeAffinity: narrow(terms, placed) },
    findings: root.findings,
  };
}

/** In-tree EBS volumes are attached by the EBS CSI driver (CSI migration, locked on). */
function readDriver(spec: Field): string | undefined {
  const csi = member(spec, 'csi');
  if (hasObject(csi)) return requiredText(member(csi, 'driver'));
  return member(spec, 'awsElasticBlockStore').value === undefined ? undefined : EBS_DRIVER;
}

function labelRequirements(labels: Labels): Requirements {
  const current = withCurrentLabels(labels);
  const items = [ZONE, REGION].flatMap((key) => {
    const value = current.get(key);
    return value === undefined ? [] : [requirement(key, 'In', value.split(ZONE_SEPARATOR))];
  });
  return items.length === 0 ? NO_REQUIREMENTS : requirementsOf(items);
}

function narrow(
  terms: readonly NodeSelectorTerm[] | undefined,
  by: Requirements,
): readonly NodeSelectorTerm[] | undefined {
  if (by.size === 0) return terms;
  const given = terms ?? [{ labels: NO_REQUIREMENTS, fields: NO_REQUIREMENTS }];
  return given.map((term) => ({ ...term, labels: intersectRequirements(term.labels, by) }));
}

/** Decodes a PersistentVolumeClaim. */
export function decodePersistentVolumeClaim(object: unknown): Decoded<PersistentVolumeClaim> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  const annotations = readAnnotations(member(member(root, 'metadata'), 'annotations'));
  const volumeName = optionalText(member(spec, 'volumeName')) ?? '';
  const value = {
    name: `${name.namespace}/${name.name}`,
    volumeName: volumeName === '' ? undefined : volumeName,
    storageClassName:
      annotations.get('volume.beta.kubernetes.io/storage-class') ??
      optionalText(member(spec, 'storageClassName')),
    readWriteOncePod: readValues(member(spec, 'accessModes')).includes('ReadWriteOncePod'),
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
  const value = {
    name,
    provisioner: requiredText(member(root, 'provisioner')),
    bindingMode: optionalChoice(member(root, 'volumeBindingMode'), BINDING_MODES) ?? 'Immediate',
    allowedTopologies: readTopologySelector(member(root, 'allowedTopologies')),
    isDefault: DEFAULT_CLASS.some((key) => annotations.get(key) === 'true'),
  };
  return { value, findings: root.findings };
}
