/** spec of NodeClaims ⇄ domain. */
import type { NodeClaimSpec } from '../../domain/node-claim.js';
import type { NodeClassRef } from '../../domain/node-pool.js';
import type { JsonObject } from '../../domain/policy.js';
import type { Taint } from '../../domain/taint.js';
import { describeValue } from '../documents/part.js';
import { durationSeconds, formatDuration, NEVER } from '../fields/duration.js';
import {
  hasObject,
  member,
  optionalText,
  refuse,
  refuseMissing,
  requiredText,
  type Field,
} from '../kubernetes/field.js';
import { readTaints } from '../kubernetes/taints.js';
import { compact } from './berth-object.js';
import { encodeRequirement, readRequirements } from './requirement-entries.js';
import { encodeResources, readResources } from './resource-quantities.js';

/** The specification as JSON. */
export function encodeNodeClaimSpec(spec: NodeClaimSpec): JsonObject {
  const { nodePool, nodeClassRef, requirements, taints, startupTaints, requests } = spec;
  const { expireAfterSeconds, terminationGracePeriodSeconds: grace } = spec;
  return compact({
    nodePool,
    nodeClassRef: { group: nodeClassRef.group, kind: nodeClassRef.kind, name: nodeClassRef.name },
    requirements: requirements.flatMap(encodeRequirement),
    taints: taints.length === 0 ? undefined : taints.map(encodeTaint),
    startupTaints: startupTaints.length === 0 ? undefined : startupTaints.map(encodeTaint),
    resources: { requests: encodeResources(requests) },
    expireAfter: formatDuration(expireAfterSeconds),
    terminationGracePeriod: grace === undefined ? undefined : formatDuration(grace),
  });
}

/** `{key, value, effect}`; an empty value is left out. */
export function encodeTaint({ key, value, effect }: Taint): JsonObject {
  return { key, ...(value !== '' && { value }), effect };
}

/** The specification; what is missing or cannot be read is reported and left empty. */
export function readNodeClaimSpec(field: Field): NodeClaimSpec {
  if (field.value === undefined) refuseMissing(field);
  hasObject(field);
  const resources = member(field, 'resources');
  hasObject(resources);
  return {
    nodePool: requiredText(member(field, 'nodePool')),
    nodeClassRef: readNodeClassRef(member(field, 'nodeClassRef')),
    requirements: readRequirements(member(field, 'requirements')),
    taints: readTaints(member(field, 'taints')),
    startupTaints: readTaints(member(field, 'startupTaints')),
    requests: readResources(member(resources, 'requests')),
    expireAfterSeconds: readDuration(member(field, 'expireAfter')),
    terminationGracePeriodSeconds: readDuration(member(field, 'terminationGracePeriod')),
  };
}

function readNodeClassRef(field: Field): NodeClassRef {
  hasObject(field);
  return {
    group: requiredText(member(field, 'group')),
    kind: requiredText(member(field, 'kind')),
    name: requiredText(member(field, 'name')),
  };
}

const DURATION = /^(?:\d+[hms])+$/;

/** Seconds; undefined for Never, and where nothing is said. */
function readDuration(field: Field): number | undefined {
  const text = optionalText(field);
  if (text === undefined || text === NEVER) return undefined;
  if (DURATION.test(text)) return durationSeconds(text);
  refuse(
    field,
    `must be hours, minutes or seconds such as 720h, 1h30m or 30s, or Never, not ${describeValue(text)}`,
  );
  return undefined;
}
