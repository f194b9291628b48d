/** status.launch of NodeClaims ⇄ domain: exactly what was asked of the cloud, so that it can be asked again. */
import { CAPACITY_TYPES } from '../../domain/instance-type.js';
import {
  RESERVED_MARKETS,
  type LaunchOverride,
  type LaunchRequest,
  type LaunchStatus,
} from '../../domain/node-claim.js';
import type { JsonObject } from '../../domain/policy.js';
import {
  elements,
  hasObject,
  member,
  optionalChoice,
  optionalInteger,
  optionalText,
  requiredChoice,
  requiredText,
  type Field,
} from '../kubernetes/field.js';
import { readAnnotations } from '../kubernetes/labels.js';
import { readTime } from '../kubernetes/time.js';
import { compact, encodeMessage, encodeTime } from './berth-object.js';
import { readPrice } from './price.js';

/** The launch as JSON. */
export function encodeLaunch(launch: LaunchStatus): JsonObject {
  const { group, attempt, token, requestHash, request, answeredAt, error } = launch;
  return compact({
    group,
    attempt,
    token,
    requestHash,
    request: encodeRequest(request),
    answeredAt: encodeTime(answeredAt),
    error: error === undefined ? undefined : encodeMessage(error),
  });
}

function encodeRequest({ capacityType, market, size, overrides, tags, context }: LaunchRequest): JsonObject {
  return compact({
    capacityType,
    market,
    size,
    overrides: overrides.map(encodeOverride),
    tags: tags && Object.fromEntries(tags),
    context,
  });
}

function encodeOverride(override: LaunchOverride): JsonObject {
  const { instanceType, zone, price, imageID, launchTemplate, subnetID } = override;
  const template = launchTemplate && { id: launchTemplate.id, version: launchTemplate.version };
  return compact({ instanceType, zone, price, imageID, launchTemplate: template, subnetID });
}

const MOST = 2 ** 31 - 1;

/** The launch; undefined when nothing was asked of the cloud yet. */
export function readLaunch(field: Field): LaunchStatus | undefined {
  if (!hasObject(field)) return undefined;
  return {
    group: requiredText(member(field, 'group')),
    attempt: optionalInteger(member(field, 'attempt'), 1, MOST) ?? 1,
    token: requiredText(member(field, 'token')),
    requestHash: requiredText(member(field, 'requestHash')),
    request: readRequest(member(field, 'request')),
    answeredAt: readTime(member(field, 'answeredAt')),
    error: optionalText(member(field, 'error')),
  };
}

function readRequest(field: Field): LaunchRequest {
  hasObject(field);
  const tags = member(field, 'tags');
  return {
    capacityType: requiredChoice(member(field, 'capacityType'), CAPACITY_TYPES) ?? 'on-demand',
    market: optionalChoice(member(field, 'market'), RESERVED_MARKETS),
    size: optionalInteger(member(field, 'size'), 1, MOST) ?? 1,
    overrides: elements(member(field, 'overrides')).map(readOverride),
    tags: tags.value === undefined ? undefined : readAnnotations(tags),
    context: optionalText(member(field, 'context')),
  };
}

function readOverride(field: Field): LaunchOverride {
  const template = member(field, 'launchTemplate');
  return {
    instanceType: requiredText(member(field, 'instanceType')),
    zone: requiredText(member(field, 'zone')),
    price: readPrice(member(field, 'price')) ?? 0,
    imageID: optionalText(member(field, 'imageID')) ?? '',
    launchTemplate: hasObject(template)
      ? { id: requiredText(member(template, 'id')), version: requiredText(member(template, 'version')) }
      : undefined,
    subnetID: optionalText(member(field, 'subnetID')),
  };
}
