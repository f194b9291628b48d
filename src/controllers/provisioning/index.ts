/** Provisioning: pods that want a place become NodeClaims and Reservations. */
export { draftClaims, type ClaimDraft } from './draft-claims.js';
export { PoolOffers, type PoolOffersOptions } from './pool-offers.js';
export { ProvisioningController } from './provisioning-controller.js';
