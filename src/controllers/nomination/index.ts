/** Nomination: planned pods get status.nominatedNodeName. */
export { NominationController } from './nomination-controller.js';
