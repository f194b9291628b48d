/** The life of NodeClaims: launch, registration, initialization, liveness, termination. */
export { endClaim, type EndContext } from './end-claim.js';
export { is, withConditions, withMethodConditions } from './claim-conditions.js';
export { NodeClaimController } from './node-claim-controller.js';
export { recordClaim, settleClaim } from './record-claim.js';
