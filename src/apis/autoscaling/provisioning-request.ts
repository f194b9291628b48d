/** ProvisioningRequests of autoscaling.x-k8s.io: v1, and v1beta1, which has the same fields. */
import type { JsonObject } from '../../domain/policies/policy.js';
import {
  PARTIAL_CHECKS,
  VALID_SECONDS,
  type PartialCheck,
  type ProvisioningRequest,
  type RequestedPodSet,
  type RequestStatus,
} from '../../domain/pods/provisioning-request.js';
import { conditions } from '../berth/values.js';
import { describeValue } from '../documents/part.js';
import {
  elements,
  hasObject,
  member,
  optionalInteger,
  optionalText,
  requiredText,
  rootField,
  warn,
  type Field,
} from '../kubernetes/object/field.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import { readObjectName } from '../kubernetes/object/metadata.js';
import { readStored } from '../kubernetes/object/object-meta.js';
import { encodeConditions } from './conditions.js';

const GROUP = 'autoscaling.x-k8s.io';
/** In the order in which they are preferred. */
export const PROVISIONING_REQUEST_VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`] as const;

const MOST = 2 ** 31 - 1;
/** Key of status.provisioningClassDetails: JSON list of the PodTemplates that there is room for. */
const SCHEDULABLE_POD_SETS = 'schedulablePodSets';

/** Decodes a ProvisioningRequest. What is wrong in its parameters is reported, and the default counts. Never throws. */
export function decodeProvisioningRequest(object: unknown): Decoded<ProvisioningRequest> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const metadata = member(root, 'metadata');
  const { uid, resourceVersion, createdAt } = readStored(metadata);
  const spec = member(root, 'spec');
  hasObject(spec);
  const parameters = member(spec, 'parameters');
  const status = member(root, 'status');
  const value: ProvisioningRequest = {
    ...name,
    uid,
    resourceVersion,
    createdAt,
    generation: optionalInteger(member(metadata, 'generation'), 0, Number.MAX_SAFE_INTEGER) ?? 0,
    apiVersion: optionalText(member(root, 'apiVersion')) ?? PROVISIONING_REQUEST_VERSIONS[0],
    className: requiredText(member(spec, 'provisioningClassName')),
    podSets: elements(member(spec, 'podSets')).map(readPodSet),
    validSeconds: readValidSeconds(member(parameters, 'ValidUntilSeconds')),
    noRetry: readNoRetry(member(parameters, 'noRetry')),
    partialCheck: readPartialCheck(member(parameters, 'partialCapacityCheck')),
    processorInstance: optionalText(member(parameters, 'processorInstance')) ?? '',
    conditions: conditions.read(member(status, 'conditions')),
    schedulablePodSets: optionalText(
      member(member(status, 'provisioningClassDetails'), SCHEDULABLE_POD_SETS),
    ),
  };
  return { value, findings: root.findings };
}

function readPodSet(field: Field): RequestedPodSet {
  return {
    template: requiredText(member(member(field, 'podTemplateRef'), 'name')),
    count: optionalInteger(member(field, 'count'), 1, MOST) ?? 0,
  };
}

/** Parameters are text. */
function readValidSeconds(field: Field): number {
  const text = optionalText(field);
  if (text === undefined) return VALID_SECONDS;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const instead = `: ${String(VALID_SECONDS)} is taken instead`;
  warn(field, 'invalid-value', `must be a whole number of seconds, not ${describeValue(text)}${instead}`);
  return VALID_SECONDS;
}

function readNoRetry(field: Field): boolean {
  const text = optionalText(field);
  if (text !== undefined && text !== 'true' && text !== 'false')
    warn(
      field,
      'invalid-value',
      `must be "true" or "false", not ${describeValue(text)}: "false" is taken instead`,
    );
  return text === 'true';
}

function readPartialCheck(field: Field): PartialCheck | undefined {
  const text = optionalText(field);
  const check = PARTIAL_CHECKS.find((known) => known === text);
  if (text !== undefined && check === undefined)
    warn(
      field,
      'invalid-value',
      `must be "bookPartial" or "checkOnly", not ${describeValue(text)}: all pods count together`,
    );
  return check;
}

/** The part of the object's status that a merge patch changes; details that Berth does not know stay. */
export function encodeRequestStatus(
  { conditions: all, schedulablePodSets }: RequestStatus,
  { generation, schedulablePodSets: before }: Pick<ProvisioningRequest, 'generation' | 'schedulablePodSets'>,
): JsonObject {
  return {
    conditions: encodeConditions(all.map((condition) => ({ ...condition, observedGeneration: generation }))),
    ...(schedulablePodSets !== before && {
      provisioningClassDetails: { [SCHEDULABLE_POD_SETS]: schedulablePodSets ?? null },
    }),
  };
}
