/** What the pages of docs/reference are made of: the tables that the program itself uses. */
export { COMMANDS } from '../src/app/cli/commands.js';
export { CLAIM_CONDITIONS } from '../src/domain/nodes/claim-conditions.js';
export { POLICY_CONDITIONS } from '../src/domain/policies/policy-conditions.js';
export { DECISION_REASONS } from '../src/domain/records/decision-reasons.js';
export { EVENT_REASONS } from '../src/domain/records/event-reasons.js';
export { METHODS } from '../src/planning/disrupt/methods.js';
export { createMetrics } from '../src/runtime/metrics/metrics.js';
export { nodeRefusals, poolReasons } from './reference-examples.js';
