/** What the pause and the safety limits are measured by (docs/limits.md). */
import type { Counter, Gauge } from 'prom-client';
import type { MetricFactory } from './metric-factory.js';

/** Metrics of safeguards. */
export interface SafetyMetrics {
  readonly paused: Gauge;
  readonly safetyLimitHits: Counter<'limit'>;
  readonly registrationStopped: Gauge<'nodepool'>;
}

/** Makes them. */
export function safetyMetrics({ counter, gauge }: MetricFactory): SafetyMetrics {
  return {
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
}
