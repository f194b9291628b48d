/** Reservations of berth.sh/v1. */
import type { JsonObject } from '../../domain/policies/policy.js';
import type {
  Reservation,
  ReservationEntry,
  ReservationOwner,
  ReservationTarget,
} from '../../domain/records/reservation.js';
import { refuse } from '../kubernetes/object/field.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import {
  choice,
  derived,
  field,
  integer,
  list,
  object,
  optionalObject,
  optionalTextOf,
  text,
  textOrEmpty,
  time,
  validated,
  withDefault,
  type Codec,
  type Incomplete,
} from './codec.js';
import { AGE, berthKind, type BerthMeta } from './kind.js';
import { resources } from './values.js';

const REQUIRED = { isRequired: true };
const UID = { minLength: 1, maxLength: 128 };

const target: Codec<ReservationTarget | undefined> = validated(
  object<Incomplete<ReservationTarget, 'kind'>>({
    kind: field(
      'Kind of the target. A Reservation of a NodeClaim moves to its Node.',
      choice(['NodeClaim', 'Node']),
    ),
    name: field('Name of the target.', text({ minLength: 1, maxLength: 243 })),
  }),
  {
    read: ({ kind, name }) => (kind === undefined || name === '' ? undefined : { kind, name }),
    write: (value: ReservationTarget) => value,
  },
);

const owner = object<ReservationOwner>({
  kind: field('Kind of the controller.', text({ minLength: 1, maxLength: 63 })),
  namespace: field('Namespace of the controller and its pods.', text({ minLength: 1, maxLength: 63 })),
  name: field('Name of the controller.', text({ minLength: 1, maxLength: 253 })),
  templateHash: field('Hash of the pod template.', textOrEmpty({ maxLength: 63 })),
});

type EntryJson = Required<ReservationEntry>;

const entryJson = object<EntryJson>(
  {
    podUID: field('UID of the pod.', optionalTextOf(UID)),
    owner: field('The controller of pods that may not exist yet.', optionalObject(owner)),
    after: field('UIDs of pods that must be bound before this one.', list(text(UID), { maxItems: 64 })),
    count: field(
      'Number of pods.',
      withDefault(integer({ format: 'int64', minimum: 1, maximum: 100_000 }), 1),
      REQUIRED,
    ),
    requests: field('Resource requests of each pod.', resources, REQUIRED),
    priority: field('Priority of the pods.', withDefault(integer({ format: 'int32' }), 0)),
    reason: field(
      'Reason of the reservation as one CamelCase word.',
      textOrEmpty({ maxLength: 64, pattern: '^([A-Za-z]+)?$' }),
    ),
    expiresAt: field('Expiry time. Absent means until the pod is bound or deleted.', time),
  },
  {
    validations: [
      {
        rule: 'has(self.podUID) != has(self.owner)',
        message: 'exactly one of podUID and owner must be set',
      },
      {
        rule: 'has(self.owner) || self.count == 1',
        message: 'count must be 1 for a single pod',
        fieldPath: '.count',
      },
    ],
  },
);

/** Entries for exactly one pod or owner; others are reported and left out. */
const entry: Codec<ReservationEntry | undefined> = validated(entryJson, {
  read: ({ after = [], ...rest }, at) => {
    if ((rest.podUID === undefined) === (rest.owner === undefined)) {
      refuse(at, 'must have exactly one of podUID and owner');
      return undefined;
    }
    return after.length === 0 ? rest : { ...rest, after };
  },
  write: ({ after = [], ...rest }: ReservationEntry) => ({ ...rest, after }),
});

/** What is held; a reservation for nothing is of no use. */
type Spec = Incomplete<Pick<Reservation, 'target' | 'entries'>, 'target'>;

export const reservationKind = berthKind<Spec>({
  kind: 'Reservation',
  plural: 'reservations',
  shortName: 'brsv',
  about: 'Room held on one NodeClaim or Node for pods that are planned there. Every extender reads it.',
  description: 'Reservation holds room on one NodeClaim or Node for the pods that are planned there.',
  selectableFields: ['.spec.target.kind', '.spec.target.name'],
  columns: [
    { name: 'Target', type: 'string', jsonPath: '.spec.target.name' },
    { name: 'Pods', type: 'integer', jsonPath: '.spec.pods' },
    AGE,
  ],
  validations: [
    {
      rule: "self.metadata.name == self.spec.target.kind.lowerAscii() + '.' + self.spec.target.name",
      message: 'metadata.name must be <kind of the target in lower case>.<name of the target>',
    },
  ],
  spec: field(
    'The reserved room and its target.',
    object<Spec, 'pods'>(
      {
        target: field('Target of the Reservation.', target),
        pods: derived(
          // For the column of kubectl get, which cannot count.
          'Total number of pods in all entries.',
          integer({ format: 'int64', minimum: 0 }),
          ({ entries }: Spec) => entries.reduce((sum, { count }) => sum + count, 0),
        ),
        entries: field('Pods that room is reserved for.', list(entry, { maxItems: 1000 }), REQUIRED),
      },
      {
        validations: [
          {
            rule: '!has(self.pods) || self.pods == self.entries.map(entry, entry.count).sum()',
            message: 'pods must be the sum of the counts of all entries',
            fieldPath: '.pods',
          },
        ],
      },
    ),
  ),
  status: undefined,
});

/** The object. Of identity and version it says as much as it is given. */
export function encodeReservation(
  reservation: Pick<Reservation, 'name' | 'target' | 'entries'> & BerthMeta,
): JsonObject {
  return reservationKind.encode(reservation, reservation);
}

/** Decodes a reservation; undefined where it is for nothing. Never throws. */
export function decodeReservation(json: unknown): Decoded<Reservation> {
  return reservationKind.decode(json, ({ meta: { name, uid, resourceVersion }, spec }) => {
    const { target: held, entries } = spec;
    return held && { name, uid, resourceVersion, target: held, entries };
  });
}
