/** The checks of `berth doctor` that no cloud is asked for, in the order in which they are listed: one row for each group. */
import { API_SERVER_CHECKS } from './checks/api-server.js';
import { CERTIFICATE_CHECKS } from './checks/certificates.js';
import { CLOUD_CHECKS } from './checks/cloud.js';
import { INSTALLATION_CHECKS } from './checks/installation.js';
import { LEVEL_CHECKS } from './checks/level.js';
import { NEIGHBOUR_CHECKS } from './checks/neighbours.js';
import { POLICY_CHECKS } from './checks/policies.js';
import { RIGHT_CHECKS } from './checks/rights.js';
import { SCHEDULER_CHECKS } from './checks/scheduler.js';
import { WEBHOOK_CHECKS } from './checks/webhooks.js';
import type { DoctorCheck } from './doctor-check.js';

/** Checks of one subject: a failure of the first keeps none of the others from being tried. */
export interface CheckGroup {
  readonly group: string;
  readonly checks: readonly DoctorCheck[];
  /** Whether nothing else can be looked at when its first check fails: it is run before the others. */
  readonly isGate?: true;
}

export const CHECK_GROUPS: readonly CheckGroup[] = [
  { group: 'api-server', checks: API_SERVER_CHECKS, isGate: true },
  { group: 'installation', checks: INSTALLATION_CHECKS },
  { group: 'rights', checks: RIGHT_CHECKS },
  { group: 'certificates', checks: CERTIFICATE_CHECKS },
  { group: 'webhooks', checks: WEBHOOK_CHECKS },
  { group: 'scheduler', checks: SCHEDULER_CHECKS },
  { group: 'policies', checks: POLICY_CHECKS },
  { group: 'cloud', checks: CLOUD_CHECKS },
  { group: 'other autoscalers', checks: NEIGHBOUR_CHECKS },
  { group: 'level', checks: LEVEL_CHECKS },
];
