/** Writes Reservations. */
import { decodeReservation, encodeReservation } from '../../../apis/berth/reservation.js';
import { reservationName } from '../../../domain/records/reservation.js';
import type { ReservationWriter } from '../../../ports/kube-writer.js';
import { collectionPath, objectPath, remove, write, type ApiClient } from './api-object.js';

const RESERVATIONS = collectionPath('berth.sh/v1', 'reservations');

export function reservationWriter(client: ApiClient): ReservationWriter {
  return {
    putReservation: (target, entries, known, signal) => {
      const name = reservationName(target);
      if (known === undefined) {
        const body = encodeReservation({ name, target, entries });
        const operation = `create reservations/${name}`;
        const request = { method: 'POST', path: RESERVATIONS, body, operation, signal } as const;
        return write(client, request, decodeReservation);
      }
      const body = encodeReservation({ ...known, target, entries });
      const operation = `update reservations/${name}`;
      const request = {
        method: 'PUT',
        path: objectPath(RESERVATIONS, name),
        body,
        operation,
        signal,
      } as const;
      return write(client, request, decodeReservation);
    },

    // With the version: another client may have added an entry meanwhile.
    deleteReservation: ({ name, uid, resourceVersion }, signal) =>
      remove(client, {
        path: objectPath(RESERVATIONS, name),
        operation: `delete reservations/${name}`,
        preconditions: { uid, resourceVersion },
        signal,
      }),
  };
}
