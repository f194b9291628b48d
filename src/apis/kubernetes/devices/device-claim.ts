/** spec.devices of ResourceClaims and of their templates (resource.k8s.io/v1) → domain. */
import type {
  DeviceAlternative,
  DeviceClaimSpec,
  DeviceConstraint,
  DeviceRequest,
} from '../../../domain/devices/claim.js';
import { qualifiedName } from '../../../domain/devices/device.js';
import {
  firstElements,
  flag,
  hasObject,
  member,
  optionalInteger,
  optionalText,
  requiredText,
  type Field,
} from '../object/field.js';
import { readAmounts } from '../object/amounts.js';
import { readValues } from '../object/labels.js';
import { readTolerations } from '../object/taints.js';

/** What the API allows of each: requests, sub-requests, selectors and constraints. */
const MOST_REQUESTS = 32;
const MOST_ALTERNATIVES = 8;
const MOST_SELECTORS = 32;
const MOST_CONSTRAINTS = 32;
const MOST_COUNT = 2 ** 31 - 1;

/** spec.devices. What is not known of it is named, so that planning can refuse it. */
export function readDeviceClaim(field: Field): DeviceClaimSpec {
  if (!hasObject(field)) return { requests: [], constraints: [], unknown: undefined };
  const unknown: string[] = [];
  const requests = firstElements(member(field, 'requests'), MOST_REQUESTS).map((item) =>
    readRequest(item, unknown),
  );
  const constraints = firstElements(member(field, 'constraints'), MOST_CONSTRAINTS).flatMap(
    (item): readonly DeviceConstraint[] => {
      const constraint = readConstraint(item);
      if (constraint === undefined) unknown.push(`constraints[${String(item.key)}]`);
      return constraint === undefined ? [] : [constraint];
    },
  );
  return { requests, constraints, unknown: unknown[0] };
}

function readRequest(field: Field, unknown: string[]): DeviceRequest {
  const name = requiredText(member(field, 'name'));
  const exactly = member(field, 'exactly');
  if (hasObject(exactly)) return { name, alternatives: [readAlternative(exactly, '', unknown)] };
  const alternatives = firstElements(member(field, 'firstAvailable'), MOST_ALTERNATIVES).map((item) =>
    readAlternative(item, requiredText(member(item, 'name')), unknown),
  );
  if (alternatives.length === 0) unknown.push(`requests[${String(field.key)}]`);
  return { name, alternatives };
}

function readAlternative(field: Field, name: string, unknown: string[]): DeviceAlternative {
  const mode = optionalText(member(field, 'allocationMode')) ?? 'ExactCount';
  if (mode !== 'ExactCount' && mode !== 'All') unknown.push(`allocationMode ${mode}`);
  const capacity = member(field, 'capacity');
  hasObject(capacity);
  return {
    name,
    deviceClass: requiredText(member(field, 'deviceClassName')),
    selectors: readSelectors(member(field, 'selectors'), (item) => unknown.push(item)),
    mode: mode === 'All' ? 'All' : 'ExactCount',
    count: optionalInteger(member(field, 'count'), 0, MOST_COUNT) ?? 1,
    adminAccess: flag(member(field, 'adminAccess')),
    tolerations: readTolerations(member(field, 'tolerations')),
    capacity: readAmounts(member(capacity, 'requests'), 'any'),
  };
}

/** CEL expressions; a selector of another kind is reported to `onUnknown`. */
export function readSelectors(field: Field, onUnknown: (what: string) => void): readonly string[] {
  return firstElements(field, MOST_SELECTORS).flatMap((item) => {
    const cel = member(item, 'cel');
    const expression = hasObject(cel) ? requiredText(member(cel, 'expression')) : '';
    if (expression === '') onUnknown(`selectors[${String(item.key)}]`);
    return expression === '' ? [] : [expression];
  });
}

function readConstraint(field: Field): DeviceConstraint | undefined {
  const requests = readValues(member(field, 'requests'));
  const match = optionalText(member(field, 'matchAttribute')) ?? '';
  if (match !== '') return { kind: 'match', attribute: qualifiedName(match, ''), requests };
  const distinct = optionalText(member(field, 'distinctAttribute')) ?? '';
  return distinct === '' ? undefined : { kind: 'distinct', attribute: qualifiedName(distinct, ''), requests };
}
