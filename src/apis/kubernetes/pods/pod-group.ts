/** PodGroups: how many of a gang's pods must run together, as the coscheduling plugin and as Kubernetes itself says it. */
import type { PodGroup } from '../../../domain/pods/gang.js';
import { hasObject, member, optionalInteger, refuseMissing, rootField, type Field } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';

const MOST = 2 ** 31 - 1;

/** Decodes a PodGroup of scheduling.x-k8s.io, or of scheduling.sigs.k8s.io as it was before: spec.minMember. Never throws. */
export function decodePodGroup(object: unknown): Decoded<PodGroup> {
  return decode(object, (spec) => {
    const field = member(spec, 'minMember');
    if (field.value === undefined) refuseMissing(field);
    return optionalInteger(field, 1, MOST);
  });
}

/**
 * Decodes a PodGroup of scheduling.k8s.io (KEP 4671): spec.schedulingPolicy.gang.minCount; pods of one with the basic
 * policy are planned one by one. Never throws.
 */
export function decodeSchedulingPodGroup(object: unknown): Decoded<PodGroup> {
  return decode(object, (spec) => {
    const policy = member(spec, 'schedulingPolicy');
    hasObject(policy);
    const gang = member(policy, 'gang');
    if (!hasObject(gang)) return undefined;
    const field = member(gang, 'minCount');
    if (field.value === undefined) refuseMissing(field);
    return optionalInteger(field, 1, MOST);
  });
}

function decode(object: unknown, minimumOf: (spec: Field) => number | undefined): Decoded<PodGroup> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  hasObject(spec);
  return { value: { ...name, minMembers: minimumOf(spec) }, findings: root.findings };
}
