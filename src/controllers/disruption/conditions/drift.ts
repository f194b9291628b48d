/** Drift: whether a node is still what its pool and node class say, and in what it is not (Karpenter: drift). */
import { policyHash } from '../../../apis/berth/policy-hash.js';
import type { DriftReason } from '../../../domain/nodes/claim-conditions.js';
import { ADOPTED_RESOURCES_ANNOTATION } from '../../../domain/nodes/handover.js';
import {
  CA_HASH_ANNOTATION,
  NODECLASS_FIELDS_ANNOTATION,
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
  NODEPOOL_FIELDS_ANNOTATION,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  type NodeClaim,
} from '../../../domain/nodes/node-claim.js';
import { zoneIDOf, type InstanceType } from '../../../domain/nodes/instance-type.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  NODEPOOL,
  ZONE,
  ZONE_ID,
  type Labels,
} from '../../../domain/values/labels.js';
import { describeNodeClass, type NodeClass } from '../../../domain/policies/node-class.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import { allows, formatRequirement } from '../../../domain/values/requirement.js';
import { requirementsOf } from '../../../domain/values/requirements.js';
import type { CloudInstance, ResolvedNodeClass } from '../../../ports/cloud.js';
import {
  decodeFields,
  describeChanges,
  nodeClassFields,
  nodePoolFields,
  type TemplateFields,
} from '../../fingerprint/template-fields.js';
import {
  hasFingerprint,
  isNodeClassHash,
  nodeClassHash,
  nodePoolHash,
} from '../../fingerprint/template-hash.js';

export interface DriftQuestion {
  readonly claim: NodeClaim;
  /** undefined while it has not registered. */
  readonly node: ObservedNode | undefined;
  readonly pool: NodePool;
  readonly nodeClass: NodeClass | undefined;
  /** What the class amounts to; undefined while that is not known. */
  readonly resolved: ResolvedNodeClass | undefined;
  /** The instance as the cloud last listed it; undefined while it has not. */
  readonly instance: CloudInstance | undefined;
  /** All types of the catalogue under the class. */
  readonly types: readonly InstanceType[];
}

export interface Drift {
  readonly reason: DriftReason;
  readonly message: string;
}

/** In Karpenter's order: the first thing that differs; undefined when nothing does. What is not known is no drift. */
export function driftOf(question: DriftQuestion): Drift | undefined {
  if (question.claim.status.providerID === undefined) return undefined;
  const own =
    hashDrift(question) ?? authorityDrift(question) ?? requirementsDrift(question) ?? typeDrift(question);
  return own ?? (isAsAdopted(question) ? undefined : resolvedDrift(question));
}

function hashDrift({ claim, pool, nodeClass }: DriftQuestion): Drift | undefined {
  const { annotations } = claim;
  const changes = (fields: string, now: () => TemplateFields): string => {
    const before = decodeFields(annotations.get(fields));
    const text = before === undefined ? '' : describeChanges(before, now());
    return text === '' ? '' : `: ${text}`;
  };
  // A claim that has lost its fingerprint says nothing about what it was made of (Karpenter).
  if (
    hasFingerprint(claim, NODEPOOL_HASH_VERSION_ANNOTATION, NODEPOOL_HASH_ANNOTATION) &&
    annotations.get(NODEPOOL_HASH_ANNOTATION) !== nodePoolHash(pool)
  ) {
    const text = changes(NODEPOOL_FIELDS_ANNOTATION, () => nodePoolFields(pool));
    return {
      reason: 'NodePoolDrifted',
      message: `the template of NodePool ${pool.name} has changed since the NodeClaim was created${text}`,
    };
  }
  if (nodeClass === undefined) return undefined;
  if (!hasFingerprint(claim, NODECLASS_HASH_VERSION_ANNOTATION, NODECLASS_HASH_ANNOTATION)) return undefined;
  if (isNodeClassHash(annotations.get(NODECLASS_HASH_ANNOTATION), nodeClass)) return undefined;
  const text = changes(NODECLASS_FIELDS_ANNOTATION, () => nodeClassFields(nodeClass));
  return {
    reason: 'NodeClassDrifted',
    message: `${describeNodeClass(nodeClass)} has changed since the NodeClaim was created${text}`,
  };
}

/** Karpenter counts the CA bundle as part of the node class. */
function authorityDrift({ claim, nodeClass, resolved }: DriftQuestion): Drift | undefined {
  const known = knownAuthority(claim);
  const current = resolved?.certificateAuthority;
  if (known === undefined || current === undefined || known === current) return undefined;
  const name = nameOf(nodeClass);
  return {
    reason: 'NodeClassDrifted',
    message: `the CA bundle of the cluster, which nodes of ${name} are launched with, has changed since the NodeClaim was launched`,
  };
}

/** Fingerprint of the CA bundle that the claim is compared with; undefined where none was written down. */
export function knownAuthority({ annotations, status }: NodeClaim): string | undefined {
  return status.launch?.request.certificateAuthority ?? annotations.get(CA_HASH_ANNOTATION);
}

function requirementsDrift({ claim, node, pool, types }: DriftQuestion): Drift | undefined {
  const labels = labelsOf(claim, node);
  for (const required of requirementsOf(pool.template.requirements).values()) {
    const { key } = required;
    const zoneID = key === ZONE_ID ? zoneIDOf(types, claim.status.zone) : undefined;
    const value = zoneID ?? labels.get(key);
    // A claim without a node has not all labels of its type yet; the id of a zone may not be known yet.
    const isKnown = value !== undefined || (node !== undefined && key !== ZONE_ID);
    if (allows(required, value) || !isKnown) continue;
    return {
      reason: 'RequirementsDrifted',
      message: `label ${key} is ${value ?? 'missing'}, but NodePool ${pool.name} now requires ${formatRequirement(required)}`,
    };
  }
  return undefined;
}

function labelsOf({ labels, spec, status }: NodeClaim, node: ObservedNode | undefined): Labels {
  const known: readonly (readonly [string, string | undefined])[] = [
    [NODEPOOL, spec.nodePool],
    [INSTANCE_TYPE, status.instanceType],
    [ZONE, status.zone],
    [CAPACITY_TYPE, status.capacityType],
  ];
  return new Map([
    ...labels,
    ...(node?.labels ?? []),
    ...known.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  ]);
}

function typeDrift({ claim, types }: DriftQuestion): Drift | undefined {
  const { instanceType, zone } = claim.status;
  if (instanceType === undefined || types.length === 0) return undefined;
  const type = types.find(({ name }) => name === instanceType);
  if (type?.offerings.some((offering) => offering.zone === zone) === true) return undefined;
  return {
    reason: 'InstanceTypeNotFound',
    message: `${instanceType} is no longer offered in ${zone ?? 'its zone'}`,
  };
}

/** What an adopted node is compared with is what its class amounts to since the adoption. Independent of the order of ids. */
export function resolvedHash({ imageIDs, subnetIDs, securityGroupIDs }: ResolvedNodeClass): string {
  const sorted = (ids: readonly string[] = []): readonly string[] => [...ids].sort();
  return policyHash({
    images: sorted(imageIDs),
    subnets: sorted(subnetIDs),
    securityGroups: sorted(securityGroupIDs),
  });
}

function isAsAdopted({ claim, resolved }: DriftQuestion): boolean {
  const atAdoption = claim.annotations.get(ADOPTED_RESOURCES_ANNOTATION);
  return atAdoption !== undefined && resolved !== undefined && atAdoption === resolvedHash(resolved);
}

function resolvedDrift(question: DriftQuestion): Drift | undefined {
  const { claim, nodeClass, resolved } = question;
  // A class that cannot be launched from says nothing about what its nodes should be.
  if (resolved === undefined || resolved.problems.length > 0) return undefined;
  const { imageIDs = [], subnetIDs = [] } = resolved;
  const name = nameOf(nodeClass);
  const { imageID } = claim.status;
  if (isLeftOut(imageID, imageIDs))
    return {
      reason: 'AMIDrift',
      message: `image ${imageID} is no longer among the images of ${name}: ${listText(imageIDs)}`,
    };
  const subnet = subnetOf(claim);
  if (isLeftOut(subnet, subnetIDs))
    return {
      reason: 'SubnetDrift',
      message: `subnet ${subnet} is no longer among the subnets of ${name}: ${listText(subnetIDs)}`,
    };
  return (
    (question.instance && groupsDrift(question.instance, resolved, name)) ??
    reservationDrift(question, resolved, name) ??
    (question.instance && placementDrift(question.instance, resolved, name))
  );
}

function groupsDrift(
  { securityGroupIDs: groups }: CloudInstance,
  { securityGroupIDs }: ResolvedNodeClass,
  name: string,
): Drift | undefined {
  if (groups === undefined || securityGroupIDs === undefined || isSameSet(groups, securityGroupIDs))
    return undefined;
  return {
    reason: 'SecurityGroupDrift',
    message: `the instance has security groups ${listText(groups)}, but ${name} now selects ${listText(securityGroupIDs)}`,
  };
}

/** One whose reservation is over is an on-demand instance, as good as before. */
function reservationDrift(
  { claim, instance }: DriftQuestion,
  { reservationIDs }: ResolvedNodeClass,
  name: string,
): Drift | undefined {
  const launched = claim.status.capacityType === 'reserved' ? claim.labels.get(CAPACITY_RESERVATION_ID) : '';
  const id = instance?.reservationID ?? launched ?? '';
  if (id === '' || reservationIDs === undefined || reservationIDs.includes(id)) return undefined;
  return {
    reason: 'CapacityReservationDrift',
    message: `the instance is in capacity reservation ${id}, which ${name} no longer selects; it selects ${listText(reservationIDs) || 'none'}`,
  };
}

function placementDrift(
  { placementGroup: actual }: CloudInstance,
  { placementGroup: wanted }: ResolvedNodeClass,
  name: string,
): Drift | undefined {
  if (actual === undefined || isSameGroup(actual, wanted)) return undefined;
  return {
    reason: 'PlacementGroupDrift',
    message: `the instance is in ${groupText(actual.name || actual.id)}, but ${name} now selects ${groupText(wanted?.name ?? '')}`,
  };
}

/** What the cloud does not say of the group of an instance is no difference. */
function isSameGroup(
  actual: NonNullable<CloudInstance['placementGroup']>,
  wanted: ResolvedNodeClass['placementGroup'],
): boolean {
  const isIn = actual.name !== '' || actual.id !== '';
  if (!isIn || wanted === undefined) return isIn === (wanted !== undefined);
  const agrees = (is: string, part: string): boolean => is === '' || is === part;
  return agrees(actual.name, wanted.name) && agrees(actual.id, wanted.id);
}

function nameOf(nodeClass: NodeClass | undefined): string {
  return nodeClass === undefined ? 'its node class' : describeNodeClass(nodeClass);
}

function groupText(group: string): string {
  return group === '' ? 'no placement group' : `placement group ${group}`;
}

/** Identifiers that a message lists; of more, how many there are. */
const MOST_LISTED = 5;

function listText(ids: readonly string[]): string {
  const rest = ids.length - MOST_LISTED;
  return [...ids.slice(0, MOST_LISTED), ...(rest > 0 ? [`${String(rest)} more`] : [])].join(', ');
}

/** An empty list says that nothing is known. */
function isLeftOut(id: string | undefined, selected: readonly string[]): id is string {
  return id !== undefined && selected.length > 0 && !selected.includes(id);
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  const rights = new Set(right);
  return rights.size === new Set(left).size && left.every((item) => rights.has(item));
}

/** The subnet that the instance was launched in, as the launch recorded it. */
function subnetOf({ status }: NodeClaim): string | undefined {
  const { instanceType, zone, launch } = status;
  return launch?.request.overrides.find(
    (override) => override.instanceType === instanceType && override.zone === zone,
  )?.subnetID;
}

/** Hexadecimal digits: users copy it. */
const DIGITS = 12;

/**
 * What drifted nodes of a pool are replaced by, in one short word: it changes whenever nodes may drift that did not before.
 * Instance types that are no longer offered are left out: nodes of other types are not affected.
 */
export function driftTarget(pool: NodePool, nodeClass: NodeClass, resolved: ResolvedNodeClass): string {
  const requirements = [...requirementsOf(pool.template.requirements).values()];
  const { reservationIDs = [], placementGroup, certificateAuthority } = resolved;
  const hash = policyHash({
    nodePool: nodePoolHash(pool),
    requirements: requirements.map(formatRequirement).sort(),
    nodeClass: nodeClassHash(nodeClass),
    resolved: resolvedHash(resolved),
    ...(reservationIDs.length > 0 && { reservations: [...reservationIDs] }),
    ...(placementGroup !== undefined && { placementGroup: placementGroup.id }),
    ...(certificateAuthority !== undefined && { certificateAuthority }),
  });
  return hash.slice(0, DIGITS);
}
