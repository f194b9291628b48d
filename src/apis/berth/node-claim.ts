/** NodeClaims of berth.sh/v1 ⇄ domain. */
import { CAPACITY_TYPES } from '../../domain/instance-type.js';
import { TERMINATION_FINALIZER, type NodeClaim, type NodeClaimStatus } from '../../domain/node-claim.js';
import type { JsonObject } from '../../domain/policy.js';
import {
  hasObject,
  member,
  optionalChoice,
  optionalText,
  requiredText,
  rootField,
  type Field,
} from '../kubernetes/field.js';
import type { Decoded } from '../kubernetes/finding.js';
import { readObjectMeta } from '../kubernetes/object-meta.js';
import { formatTime, readTime } from '../kubernetes/time.js';
import { berthObject, compact, encodeTime } from './berth-object.js';
import { encodeConditions, readConditions } from './conditions.js';
import { encodeLaunch, readLaunch } from './launch-status.js';
import { encodeNodeClaimSpec, readNodeClaimSpec } from './node-claim-spec.js';
import { readPrice } from './price.js';
import { encodeResources, readResources } from './resource-quantities.js';

/** The object that is created for a claim: with the finalizer, without a status. */
export function encodeNewNodeClaim(
  claim: Pick<NodeClaim, 'name' | 'labels' | 'annotations' | 'spec'>,
): JsonObject {
  const { name, labels, annotations, spec } = claim;
  const meta = { name, labels, annotations, finalizers: [TERMINATION_FINALIZER] };
  return berthObject('NodeClaim', meta, { spec: encodeNodeClaimSpec(spec) });
}

/** The whole object. */
export function encodeNodeClaim(claim: NodeClaim): JsonObject {
  const { spec, status, ...meta } = claim;
  return berthObject('NodeClaim', meta, { spec: encodeNodeClaimSpec(spec), status: encodeStatus(status) });
}

function encodeStatus(status: NodeClaimStatus): JsonObject {
  const { launch, capacity, allocatable, conditions, lastPodEventTime, disruption, ...plain } = status;
  return compact({
    ...plain,
    launch: launch && encodeLaunch(launch),
    capacity: capacity.size === 0 ? undefined : encodeResources(capacity),
    allocatable: allocatable.size === 0 ? undefined : encodeResources(allocatable),
    conditions: encodeConditions(conditions),
    lastPodEventTime: encodeTime(lastPodEventTime),
    disruption: disruption && {
      reason: disruption.reason,
      decidedAt: formatTime(disruption.decidedAt),
    },
  });
}

/** Decodes a claim; what its specification or status lacks is reported and left empty. Never throws. */
export function decodeNodeClaim(object: unknown): Decoded<NodeClaim> {
  const root = rootField(object);
  const meta = readObjectMeta(root);
  if (meta === undefined) return { value: undefined, findings: root.findings };
  const value: NodeClaim = {
    ...meta,
    spec: readNodeClaimSpec(member(root, 'spec')),
    status: readStatus(member(root, 'status')),
  };
  return { value, findings: root.findings };
}

function readStatus(field: Field): NodeClaimStatus {
  hasObject(field);
  return {
    launch: readLaunch(member(field, 'launch')),
    providerID: optionalText(member(field, 'providerID')),
    nodeName: optionalText(member(field, 'nodeName')),
    instanceType: optionalText(member(field, 'instanceType')),
    zone: optionalText(member(field, 'zone')),
    capacityType: optionalChoice(member(field, 'capacityType'), CAPACITY_TYPES),
    hourlyPrice: readPrice(member(field, 'hourlyPrice')),
    imageID: optionalText(member(field, 'imageID')),
    capacity: readResources(member(field, 'capacity')),
    allocatable: readResources(member(field, 'allocatable')),
    conditions: readConditions(member(field, 'conditions')),
    ...readLastPodEvent(member(field, 'lastPodEventTime')),
    disruption: readDisruption(member(field, 'disruption')),
  };
}

/** A disruption whose time cannot be read is one all the same: the node is not to get pods. */
function readDisruption(field: Field): NodeClaimStatus['disruption'] {
  if (!hasObject(field)) return undefined;
  return {
    reason: requiredText(member(field, 'reason')),
    decidedAt: readTime(member(field, 'decidedAt')) ?? 0,
  };
}

/** Not there before the first event. */
function readLastPodEvent(field: Field): Pick<NodeClaimStatus, 'lastPodEventTime'> {
  const lastPodEventTime = readTime(field);
  return lastPodEventTime === undefined ? {} : { lastPodEventTime };
}
