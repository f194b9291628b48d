/** All facts, by the suite of Karpenter that they come from. */
import type { Suite } from './fact.js';
import { BUDGET_SCHEDULES } from './facts/budgets/budget-schedules.js';
import { BUDGETS } from './facts/budgets/budgets.js';
import { BUFFERS } from './facts/buffers.js';
import { CANDIDATES } from './facts/consolidation/candidates.js';
import { CLAIM_CONDITIONS } from './facts/claim-conditions.js';
import { COMMANDS } from './facts/commands.js';
import { CONSOLIDATION } from './facts/consolidation/consolidation.js';
import { DRIFT } from './facts/drift/drift.js';
import { DRIFT_CONDITIONS } from './facts/drift/drift-conditions.js';
import { EMPTINESS } from './facts/consolidation/emptiness.js';
import { INTERRUPTION } from './facts/interruption.js';
import { EXPIRATION } from './facts/drift/expiration.js';
import { REPAIR_POLICIES } from './facts/repair/repair-policies.js';
import { REPAIR } from './facts/repair/repair.js';
import { REPLACEMENT } from './facts/consolidation/replacement.js';
import { RESERVATIONS } from './facts/reservations/reservations.js';
import { RESERVED_NODES } from './facts/reservations/reserved-nodes.js';
import { SEVERAL_NODES } from './facts/consolidation/several-nodes.js';
import { SPOT_TO_SPOT } from './facts/consolidation/spot-to-spot.js';
import { STATIC_DISRUPTION } from './facts/static-pools/static-disruption.js';
import { STATIC_POOLS } from './facts/static-pools/static-pools.js';
import { DRAINING, TERMINATION } from './facts/termination.js';

export const SUITES: readonly Suite[] = [
  CANDIDATES,
  CONSOLIDATION,
  REPLACEMENT,
  SPOT_TO_SPOT,
  SEVERAL_NODES,
  EMPTINESS,
  BUDGETS,
  BUDGET_SCHEDULES,
  DRIFT,
  DRIFT_CONDITIONS,
  EXPIRATION,
  REPAIR_POLICIES,
  REPAIR,
  CLAIM_CONDITIONS,
  COMMANDS,
  STATIC_POOLS,
  STATIC_DISRUPTION,
  BUFFERS,
  RESERVATIONS,
  RESERVED_NODES,
  DRAINING,
  TERMINATION,
  INTERRUPTION,
];
