/** What the pause and the safety limits are measured by (docs/limits.md). */
import type { Counter, Gauge } from 'prom-client';
import type { MetricMakers } from './metric-makers.js';

/** Metrics of safeguards. */
export interface SafetyMetrics {
  readonly paused: Gauge;
  readonly safetyLimitHits: Counter<'limit'>;
  readonly registrationStopped: Gauge<'nodepool'>;
}

/** Makes them. */
export function safetyMetrics({ counter, gauge }: MetricMakers): SafetyMetrics {
  return {
    paused: gauge('berth_paused', 'Whether Berth is paused by an annotation on its namespace: 1 or 0.'),
    safetyLimitHits: counter(
      'berth_safety_limit_hits_total',
      'What a safety limit held back; labelled by limit (docs/limits.md).',
      ['limit'],
    ),
    registrationStopped: gauge(
      'berth_registration_stopped',
      'Whether launches of a NodePool are stopped because its instances do not register: 1; labelled by nodepool.',
      ['nodepool'],
    ),
  };
}
