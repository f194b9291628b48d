/** All facts, by the suite of Karpenter that they come from. */
import type { Suite } from './fact.js';
import { BUDGET_SCHEDULES } from './facts/budget-schedules.js';
import { BUDGETS } from './facts/budgets.js';
import { CANDIDATES } from './facts/candidates.js';
import { CONSOLIDATION } from './facts/consolidation.js';
import { EMPTINESS } from './facts/emptiness.js';
import { REPLACEMENT } from './facts/replacement.js';
import { SEVERAL_NODES } from './facts/several-nodes.js';
import { SPOT_TO_SPOT } from './facts/spot-to-spot.js';

export const SUITES: readonly Suite[] = [
  CANDIDATES,
  CONSOLIDATION,
  REPLACEMENT,
  SPOT_TO_SPOT,
  SEVERAL_NODES,
  EMPTINESS,
  BUDGETS,
  BUDGET_SCHEDULES,
];
