/** What Berth measures of a cloud provider: requests to its API, and the catalogue that comes of them. */
import type { Counter, Histogram } from 'prom-client';
import type { MetricFactory } from './metric-factory.js';

/** Answers of the API. */
const CLOUD_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

export interface CloudMetrics {
  readonly cloudRequests: Counter<'service' | 'operation' | 'outcome'>;
  readonly cloudRequestDuration: Histogram<'service' | 'operation'>;
  readonly catalogueFailures: Counter<'part'>;
}

/** Its metrics, all zero. */
export function cloudMetrics({ counter, seconds }: MetricFactory): CloudMetrics {
  return {
    cloudRequests: counter(
      'berth_aws_requests_total',
      "Number of requests to the cloud provider's API, including retries, by service, operation and outcome: ok or the error class.",
      ['service', 'operation', 'outcome'],
    ),
    cloudRequestDuration: seconds(
      'berth_aws_request_duration_seconds',
      "Duration of requests to the cloud provider's API, without client-side throttling, by service and operation.",
      CLOUD_SECONDS,
      ['service', 'operation'],
    ),
    catalogueFailures: counter(
      'berth_catalogue_failures_total',
      'Number of failed refreshes of the instance type catalogue, which keeps the last good data, by part.',
      ['part'],
    ),
  };
}
