/** Policies: which documents hold, written down as PolicyStatus, and what node classes amount to. */
export { PoliciesController } from './policies-controller.js';
export { ResolvedNodeClasses } from './resolved-node-classes.js';
export { isAwaitingResolution } from './policy-conditions.js';
