/** Reservations: what is held for nothing is released; planned pods get status.nominatedNodeName. */
export { GateController } from './gate-controller.js';
export { NominationController } from './nomination-controller.js';
export { ReservationsController } from './reservations-controller.js';
