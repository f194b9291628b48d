/** PolicyStatuses of berth.sh/v1 ⇄ domain. */
import {
  POLICY_KINDS,
  type AcceptedPolicy,
  type JsonObject,
  type PolicyStatus,
} from '../../domain/policy.js';
import { plainObject } from '../decode/plain.js';
import {
  hasObject,
  member,
  optionalInteger,
  refuse,
  refuseMissing,
  requiredChoice,
  requiredText,
  rootField,
  type Field,
} from '../kubernetes/field.js';
import type { Decoded } from '../kubernetes/finding.js';
import { readObjectMeta } from '../kubernetes/object-meta.js';
import { decodeAcceptedPolicy } from './accepted-policy.js';
import { berthObject, type BerthMeta } from './berth-object.js';
import { encodeConditions, readConditions } from './conditions.js';
import { encodeResources, readResources } from './resource-quantities.js';

type Content = Pick<
  PolicyStatus,
  'name' | 'kind' | 'policy' | 'lastAccepted' | 'conditions' | 'resources' | 'driftedNodes'
>;

/** The object. Of identity and version it says as much as it is given. */
export function encodePolicyStatus(status: Content & BerthMeta): JsonObject {
  const { kind, policy, lastAccepted, conditions, resources, driftedNodes, ...meta } = status;
  return berthObject('PolicyStatus', meta, {
    spec: {
      policy: { kind, name: policy },
      ...(lastAccepted && { lastAccepted: encodeAccepted(lastAccepted) }),
    },
    status: {
      conditions: encodeConditions(conditions),
      ...(resources.size > 0 && { resources: encodeResources(resources) }),
      ...(driftedNodes > 0 && { driftedNodes }),
    },
  });
}

function encodeAccepted({ source, hash, document }: AcceptedPolicy): JsonObject {
  return { source: { configMap: source.configMap, key: source.key }, hash, document };
}

/** Decodes a status; undefined when it does not say which policy it is about. Never throws. */
export function decodePolicyStatus(object: unknown): Decoded<PolicyStatus> {
  const root = rootField(object);
  const meta = readObjectMeta(root);
  const spec = member(root, 'spec');
  if (meta !== undefined && !hasObject(spec) && spec.value === undefined) refuseMissing(spec);
  const policy = member(spec, 'policy');
  const kind = meta && requiredChoice(member(policy, 'kind'), POLICY_KINDS);
  const policyName = meta === undefined ? '' : requiredText(member(policy, 'name'));
  if (meta === undefined || kind === undefined || policyName === '')
    return { value: undefined, findings: root.findings };
  const { name, uid, resourceVersion, annotations } = meta;
  const status = member(root, 'status');
  hasObject(status);
  const value: PolicyStatus = {
    ...{ name, uid, resourceVersion, annotations, kind, policy: policyName },
    lastAccepted: readAccepted(member(spec, 'lastAccepted')),
    conditions: readConditions(member(status, 'conditions')),
    resources: readResources(member(status, 'resources')),
    driftedNodes: optionalInteger(member(status, 'driftedNodes'), 0, Number.MAX_SAFE_INTEGER) ?? 0,
  };
  return { value, findings: root.findings };
}

/** The document is kept even where this version of Berth cannot read it, so that another one may. */
function readAccepted(field: Field): AcceptedPolicy | undefined {
  if (!hasObject(field)) return undefined;
  const source = member(field, 'source');
  const documentField = member(field, 'document');
  const document = plainObject(documentField.value);
  if (document === undefined) {
    if (documentField.value === undefined) refuseMissing(documentField);
    else hasObject(documentField);
    return undefined;
  }
  const value = decodeAcceptedPolicy(document);
  if (value === undefined) refuse(documentField, 'cannot be read by this version of Berth');
  return {
    source: {
      configMap: requiredText(member(source, 'configMap')),
      key: requiredText(member(source, 'key')),
    },
    document,
    hash: requiredText(member(field, 'hash')),
    value,
  };
}
