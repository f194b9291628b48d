/** All scenarios that every world runs. */
import { APPROVALS } from './cases/approvals.js';
import { BUDGETS } from './cases/budgets.js';
import { CAPACITY_BUFFERS } from './cases/capacity-buffers.js';
import { DEMAND } from './cases/demand.js';
import { DEVICES } from './cases/devices.js';
import { GANGS } from './cases/gangs.js';
import { HARDWARE } from './cases/hardware.js';
import { LIFE } from './cases/life.js';
import { PLACEMENT_GROUPS } from './cases/placement-groups.js';
import { PROVISIONING_REQUESTS } from './cases/provisioning-requests.js';
import { REPAIR } from './cases/repair.js';
import { RESIZES } from './cases/resizes.js';
import { STATIC_POOLS } from './cases/static-pools.js';
import type { ScenarioCase } from './scenario-case.js';

export { BAD_INPUT } from './cases/bad-input.js';
export { EXAMPLES } from './cases/examples.js';
export type { ScenarioCase } from './scenario-case.js';

export const DISRUPTIONS: readonly ScenarioCase[] = [
  ...APPROVALS,
  ...BUDGETS,
  ...CAPACITY_BUFFERS,
  ...DEMAND,
  ...DEVICES,
  ...GANGS,
  ...HARDWARE,
  ...LIFE,
  ...PLACEMENT_GROUPS,
  ...PROVISIONING_REQUESTS,
  ...REPAIR,
  ...RESIZES,
  ...STATIC_POOLS,
];
