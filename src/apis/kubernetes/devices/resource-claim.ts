/** ResourceClaims, ResourceClaimTemplates and DeviceClasses (resource.k8s.io/v1) → domain. */
import type {
  AllocatedDevice,
  DeviceAllocation,
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../../domain/devices/claim.js';
import { deviceID, qualifiedName } from '../../../domain/devices/device.js';
import { readAmounts } from '../object/amounts.js';
import {
  firstElements,
  flag,
  hasObject,
  member,
  optionalText,
  requiredText,
  rootField,
  type Field,
} from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';
import { readNodeSelectorTerms } from '../object/node-selector.js';
import { readDeviceClaim, readSelectors } from './device-claim.js';

/** Devices of one claim: 32 in the API. */
const MOST_RESULTS = 64;

/** Decodes a ResourceClaim. */
export function decodeResourceClaim(object: unknown): Decoded<ResourceClaim> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const value = {
    name: `${name.namespace}/${name.name}`,
    spec: readDeviceClaim(member(member(root, 'spec'), 'devices')),
    allocation: readAllocation(member(member(root, 'status'), 'allocation')),
    terminating: member(member(root, 'metadata'), 'deletionTimestamp').value !== undefined,
  };
  return { value, findings: root.findings };
}

/** Decodes a ResourceClaimTemplate. */
export function decodeResourceClaimTemplate(object: unknown): Decoded<ResourceClaimTemplate> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = readDeviceClaim(member(member(member(root, 'spec'), 'spec'), 'devices'));
  return { value: { name: `${name.namespace}/${name.name}`, spec }, findings: root.findings };
}

/** Decodes a DeviceClass. A selector of an unknown kind makes it one that no device is of. */
export function decodeDeviceClass(object: unknown): Decoded<DeviceClass> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  if (name === undefined) return { value: undefined, findings: root.findings };
  const unknown: string[] = [];
  const selectors = readSelectors(member(member(root, 'spec'), 'selectors'), () => unknown.push('false'));
  return { value: { name, selectors: [...unknown, ...selectors] }, findings: root.findings };
}

function readAllocation(field: Field): DeviceAllocation | undefined {
  if (!hasObject(field)) return undefined;
  const devices = member(field, 'devices');
  hasObject(devices);
  return {
    devices: firstElements(member(devices, 'results'), MOST_RESULTS).map(readResult),
    terms: readNodeSelectorTerms(member(field, 'nodeSelector')),
  };
}

function readResult(field: Field): AllocatedDevice {
  const driver = requiredText(member(field, 'driver'));
  const name = requiredText(member(field, 'pool'));
  const consumed = readAmounts(member(field, 'consumedCapacity'), 'any');
  const isShare = consumed.size > 0 || (optionalText(member(field, 'shareID')) ?? '') !== '';
  return {
    id: deviceID({ driver, name }, requiredText(member(field, 'device'))),
    adminAccess: flag(member(field, 'adminAccess')),
    consumed: isShare
      ? new Map([...consumed].map(([capacity, amount]) => [qualifiedName(capacity, driver), amount]))
      : undefined,
  };
}
