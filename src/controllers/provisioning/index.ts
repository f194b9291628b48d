/** Provisioning: pods that want a place become NodeClaims and Reservations. */
export { ProvisioningController } from './provisioning-controller.js';
