/** What the pause and the safety limits are measured by (docs/limits.md). */
import { counter, gauge } from './metric-factory.js';

export const SAFETY_METRICS = {
  paused: gauge('berth_paused', 'Whether Berth is paused by the annotation of its namespace: 1 or 0.'),
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
};
