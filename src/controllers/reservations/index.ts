/** Reservations: what is held for nothing is released; planned pods get status.nominatedNodeName. */
export { NominationController } from './nomination-controller.js';
export { ReservationsController } from './reservations-controller.js';
