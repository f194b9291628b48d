/** V1Node and CSINode → domain. */
import type { Node } from '../../../domain/nodes/node.js';
import { readAmounts, roundAmounts } from '../object/amounts.js';
import {
  elements,
  flag,
  member,
  optionalInteger,
  optionalText,
  requiredText,
  rootField,
  type Field,
} from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readLabels, readValues, withCurrentLabels } from '../object/labels.js';
import { readObjectName } from '../object/metadata.js';
import { readTaints } from '../object/taints.js';

/** CSI driver → how many volumes can be attached. */
export type VolumeLimits = ReadonlyMap<string, number>;

const NO_LIMITS: VolumeLimits = new Map();

/** Decodes a node; `volumeLimits` are those of the CSINode of the same name. Never throws. */
export function decodeNode(object: unknown, volumeLimits: VolumeLimits = NO_LIMITS): Decoded<Node> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  return {
    value: name === undefined ? undefined : readNode(root, name, volumeLimits),
    findings: root.findings,
  };
}

function readNode(root: Field, name: string, volumeLimits: VolumeLimits): Node {
  const spec = member(root, 'spec');
  const status = member(root, 'status');
  const capacity = readAmounts(member(status, 'capacity'), 'any');
  const allocatable = member(status, 'allocatable');
  const providerID = optionalText(member(spec, 'providerID')) ?? '';
  const features = member(status, 'declaredFeatures');
  return {
    name,
    labels: withCurrentLabels(readLabels(member(member(root, 'metadata'), 'labels'))),
    taints: readTaints(member(spec, 'taints')),
    unschedulable: flag(member(spec, 'unschedulable')),
    // The API server's default for a node that reports no allocatable.
    allocatable: roundAmounts(allocatable.value === undefined ? capacity : readAmounts(allocatable, 'any')),
    capacity: roundAmounts(capacity),
    providerID: providerID === '' ? undefined : providerID,
    volumeLimits,
    declaredFeatures: features.value === undefined ? undefined : new Set(readValues(features)),
  };
}

/** What a CSINode says of the node of its name. */
export interface CSINode {
  readonly name: string;
  readonly volumeLimits: VolumeLimits;
}

/** Decodes a storage.k8s.io CSINode; a driver without a count has no limit: Infinity. */
export function decodeCSINode(object: unknown): Decoded<CSINode> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  const limits = new Map<string, number>();
  for (const driver of elements(member(member(root, 'spec'), 'drivers'))) {
    const driverName = requiredText(member(driver, 'name'));
    const count = optionalInteger(member(member(driver, 'allocatable'), 'count'), 0, 2 ** 31 - 1);
    limits.set(driverName, count ?? Infinity);
  }
  return { value: name === undefined ? undefined : { name, volumeLimits: limits }, findings: root.findings };
}
