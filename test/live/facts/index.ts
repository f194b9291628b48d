/** All live facts. */
import type { LiveFact } from '../live-fact.js';
import { BUFFER_FACTS } from './buffers.js';
import { CONDITIONS_AND_COMMANDS } from './conditions.js';
import { CONSOLIDATION } from './consolidation.js';
import { DRIFT_AND_EXPIRATION } from './drift.js';
import { EMPTINESS } from './emptiness.js';
import { REPAIR } from './repair.js';
import { REPLACEMENT } from './replacement.js';
import { STATIC_POOLS } from './static-pools.js';
import { TERMINATION } from './termination.js';

/**
 * Those that make Karpenter consolidate, or delete empty nodes: it does so for one command at a time and waits each time, so that
 * each family has a cluster of its own.
 */
export const FAMILIES: readonly (readonly LiveFact[])[] = [CONSOLIDATION, REPLACEMENT, EMPTINESS];

/** Those for which Karpenter does not wait. */
export const OTHERS: readonly LiveFact[] = [
  ...DRIFT_AND_EXPIRATION,
  ...REPAIR,
  ...CONDITIONS_AND_COMMANDS,
  ...STATIC_POOLS,
  ...BUFFER_FACTS,
  ...TERMINATION,
];

export const LIVE_FACTS: readonly LiveFact[] = [...FAMILIES.flat(), ...OTHERS];
