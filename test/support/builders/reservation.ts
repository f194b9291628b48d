/** Reservations for tests: room for one pod on a claim; tests say what differs. */
import {
  reservationName,
  type Reservation,
  type ReservationEntry,
} from '../../../src/domain/records/reservation.js';
import { amounts } from './pod.js';

/** On NodeClaim `general-1`, for pod `uid-1`. */
export function reservation(overrides: Partial<Omit<Reservation, 'name'>> = {}): Reservation {
  const target = overrides.target ?? { kind: 'NodeClaim', name: 'general-1' };
  const name = reservationName(target);
  return {
    uid: `uid-${name}`,
    resourceVersion: '1',
    entries: [reservationEntry()],
    ...overrides,
    name,
    target,
  };
}

export function reservationEntry(overrides: Partial<ReservationEntry> = {}): ReservationEntry {
  return {
    podUID: overrides.owner === undefined ? 'uid-1' : undefined,
    owner: undefined,
    count: 1,
    requests: amounts({ cpu: '100m', memory: '128Mi', pods: '1' }),
    priority: 0,
    reason: 'Planned',
    expiresAt: undefined,
    ...overrides,
  };
}
