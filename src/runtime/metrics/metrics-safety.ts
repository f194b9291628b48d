/** What the pause, the safety limits (docs/limits.md) and approvals (docs/approvals.md) are measured by. */
import { counter, gauge } from './metric-factory.js';

export const SAFETY_METRICS = {
  paused: gauge('berth_paused', 'Whether Berth is paused by the annotation of its namespace: 1 or 0.'),
  zonalShift: gauge(
    'berth_zonal_shift_active',
    'Whether the cluster is shifted away from a zone, where nothing is launched: 1, or no series.',
    ['zone'],
  ),
  safetyLimitHits: counter(
    'berth_safety_limit_hits_total',
    'Number of actions delayed by a safety limit, by limit (docs/limits.md).',
    ['limit'],
  ),
  registrationStopped: gauge(
    'berth_registration_stopped',
    '1 for each NodePool whose launches are stopped because its instances fail to register, by nodepool.',
    ['nodepool'],
  ),
  decisionsProposed: gauge(
    'berth_decisions_proposed',
    'Number of launches and disruptions that wait for approval, by action.',
    ['action'],
  ),
  proposals: counter(
    'berth_proposals_total',
    'Number of launches and disruptions that were proposed for approval, and of what became of them, by action and phase.',
    ['action', 'phase'],
  ),
  notifications: counter(
    'berth_notifications_total',
    'Number of notifications to people, by result: sent, failed, or dropped because too many waited.',
    ['result'],
  ),
};
