/** Reservations: room that is held for nothing is let go. */
export { ReservationsController } from './reservations-controller.js';
