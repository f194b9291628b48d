/** All facts, by the suite of Karpenter that they come from. */
import type { Suite } from './fact.js';
import { EMPTINESS } from './facts/emptiness.js';

export const SUITES: readonly Suite[] = [EMPTINESS];
