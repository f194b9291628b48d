/** The disruption methods in their order: the most urgent first, and each presumes what those before it have decided. */
import type { Method } from './method.js';
import { consolidation } from './methods/consolidation.js';
import { drift } from './methods/drift.js';
import { emptiness } from './methods/emptiness.js';
import { expiration } from './methods/expiration.js';
import { interruption } from './methods/interruption.js';
import { unhealthy } from './methods/unhealthy.js';

export const METHODS: readonly Method[] = [
  interruption,
  unhealthy,
  expiration,
  drift,
  emptiness,
  consolidation,
];

/** The method with this reason; undefined when there is none. */
export function methodOf(reason: string | undefined): Method | undefined {
  return METHODS.find((method) => method.reason === reason);
}
