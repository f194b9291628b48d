/** What Berth measures of AWS: requests, and the catalogue that comes of them. */
import type { Counter, Histogram } from 'prom-client';
import type { MetricFactory } from './metric-factory.js';

/** Answers of AWS. */
const CLOUD_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

export interface AwsMetrics {
  readonly awsRequests: Counter<'service' | 'operation' | 'outcome'>;
  readonly awsRequestDuration: Histogram<'service' | 'operation'>;
  readonly catalogueFailures: Counter<'part'>;
}

/** Its metrics, all zero. */
export function awsMetrics({ counter, seconds }: MetricFactory): AwsMetrics {
  return {
    awsRequests: counter(
      'berth_aws_requests_total',
      'Number of AWS API requests, including retries, by service, operation and outcome: ok or the error class.',
      ['service', 'operation', 'outcome'],
    ),
    awsRequestDuration: seconds(
      'berth_aws_request_duration_seconds',
      'Duration of AWS API requests, without client-side throttling, by service and operation.',
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
