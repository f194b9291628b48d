/** A policy document that was accepted once → its meaning. */
import type { JsonObject, PolicyValue } from '../../domain/policies/policy.js';
import { decodeCurrent } from '../conversion/decode-policy.js';
import type { CurrentObject } from '../conversion/policy-kinds.js';
import { upgrade } from '../conversion/upgrade.js';
import { checkValue } from '../documents/check-value.js';
import { documentOf } from './plain-document.js';

/** Reads a document as PolicyStatus keeps it; undefined when this version of Berth finds errors in it. Never throws. */
export function decodeAcceptedPolicy(document: JsonObject): PolicyValue | undefined {
  if (checkValue(document, false).faults.length > 0) return undefined;
  const plain = documentOf(document);
  const object = plain && upgrade(plain).objects[0];
  return object && policyValueOf(object);
}

/** The meaning of an object that has passed its schema. */
export function policyValueOf(object: CurrentObject): PolicyValue {
  const decoded = decodeCurrent(object);
  switch (decoded.kind) {
    case 'NodePool':
      return { kind: 'NodePool', nodePool: decoded.pool };
    case 'NodeOverlay':
      return { kind: 'NodeOverlay', nodeOverlay: decoded.nodeOverlay };
    case 'PodDefaults':
      return { kind: 'PodDefaults', podDefaults: decoded.podDefaults };
    default:
      return decoded;
  }
}
