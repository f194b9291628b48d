/** The life of NodeClaims: launch, registration, initialization, liveness, termination. */
export { endClaim, type EndContext } from './end-claim.js';
export { NodeClaimController } from './node-claim-controller.js';
