/** What bounds the damage that a fault can do: a pause, limits of rate and size, and a breaker. */
export type { Held } from './launch-limits.js';
export type { RegistrationCondition } from './registration-breaker.js';
export { DEFAULT_SAFETY_LIMITS, FEW_ORPHANS, type SafetyLimits } from './safety-limits.js';
export { PAUSE_LOOK_MILLIS, Safeguards } from './safeguards.js';
