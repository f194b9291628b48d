/** Reservations of berth.sh/v1 ⇄ domain. */
import type { JsonObject } from '../../domain/policy.js';
import type {
  Reservation,
  ReservationEntry,
  ReservationOwner,
  ReservationTarget,
} from '../../domain/reservation.js';
import {
  elements,
  hasObject,
  member,
  optionalInteger,
  optionalText,
  refuse,
  refuseMissing,
  requiredChoice,
  requiredText,
  rootField,
  type Field,
} from '../kubernetes/field.js';
import type { Decoded } from '../kubernetes/finding.js';
import { readObjectMeta } from '../kubernetes/object-meta.js';
import { readTime } from '../kubernetes/time.js';
import { berthObject, compact, encodeTime, type BerthMeta } from './berth-object.js';
import { encodeResources, readResources } from './resource-quantities.js';

/** The object. Of identity and version it says as much as it is given. */
export function encodeReservation(
  reservation: Pick<Reservation, 'name' | 'target' | 'entries'> & BerthMeta,
): JsonObject {
  const { target, entries, ...meta } = reservation;
  const spec = {
    target: { kind: target.kind, name: target.name },
    // For the column of kubectl get, which cannot count.
    pods: entries.reduce((sum, { count }) => sum + count, 0),
    entries: entries.map(encodeEntry),
  };
  return berthObject('Reservation', meta, { spec });
}

function encodeEntry(entry: ReservationEntry): JsonObject {
  const { podUID, owner, count, requests, priority, reason, expiresAt, after } = entry;
  return compact({
    podUID,
    owner: owner && {
      kind: owner.kind,
      namespace: owner.namespace,
      name: owner.name,
      templateHash: owner.templateHash,
    },
    count,
    requests: encodeResources(requests),
    priority,
    reason,
    expiresAt: encodeTime(expiresAt),
    after,
  });
}

const TARGETS = ['NodeClaim', 'Node'] as const;
const MOST_PODS = 2 ** 31 - 1;
const PRIORITIES = [-(2 ** 31), 2 ** 31 - 1] as const;

/** Decodes a reservation; entries that hold for nobody are reported and left out. Never throws. */
export function decodeReservation(object: unknown): Decoded<Reservation> {
  const root = rootField(object);
  const meta = readObjectMeta(root);
  const spec = member(root, 'spec');
  if (meta !== undefined && !hasObject(spec) && spec.value === undefined) refuseMissing(spec);
  const target = meta && readTarget(member(spec, 'target'));
  if (meta === undefined || target === undefined) return { value: undefined, findings: root.findings };
  const { name, uid, resourceVersion } = meta;
  const entries = elements(member(spec, 'entries')).flatMap(readEntry);
  return { value: { name, uid, resourceVersion, target, entries }, findings: root.findings };
}

function readTarget(field: Field): ReservationTarget | undefined {
  const kind = requiredChoice(member(field, 'kind'), TARGETS);
  const name = requiredText(member(field, 'name'));
  return kind === undefined || name === '' ? undefined : { kind, name };
}

function readEntry(field: Field): readonly ReservationEntry[] {
  const podUID = optionalText(member(field, 'podUID'));
  const owner = readOwner(member(field, 'owner'));
  if ((podUID === undefined) === (owner === undefined)) {
    refuse(field, 'must have exactly one of podUID and owner');
    return [];
  }
  const count = optionalInteger(member(field, 'count'), 1, MOST_PODS) ?? 1;
  const after = elements(member(field, 'after')).flatMap((uid) => optionalText(uid) ?? []);
  return [
    {
      podUID,
      owner,
      count,
      requests: readResources(member(field, 'requests')),
      priority: optionalInteger(member(field, 'priority'), ...PRIORITIES) ?? 0,
      reason: optionalText(member(field, 'reason')) ?? '',
      expiresAt: readTime(member(field, 'expiresAt')),
      ...(after.length === 0 ? {} : { after }),
    },
  ];
}

function readOwner(field: Field): ReservationOwner | undefined {
  if (!hasObject(field)) return undefined;
  return {
    kind: requiredText(member(field, 'kind')),
    namespace: requiredText(member(field, 'namespace')),
    name: requiredText(member(field, 'name')),
    templateHash: optionalText(member(field, 'templateHash')) ?? '',
  };
}
