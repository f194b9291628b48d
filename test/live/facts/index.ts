/** All live facts. */
import type { LiveFact } from '../live-fact.js';
import { CONSOLIDATION } from './consolidation.js';

export const LIVE_FACTS: readonly LiveFact[] = [...CONSOLIDATION];
