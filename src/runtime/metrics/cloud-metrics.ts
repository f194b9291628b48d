/** What is measured of a cloud provider: the calls of its port, the requests to its API, and what it sells. */
import { STARTUP_SECONDS, counter, gauge, histogram, type Made } from './metric-factory.js';

/** Answers of the API, in seconds. */
const CLOUD_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const RETRIES = [0, 1, 2, 3, 4];
const REQUEST = ['service', 'action', 'code'] as const;
const OFFERING = ['instance_type', 'capacity_type', 'zone'] as const;
/** Of which instance types there are gauges. */
const SHOWN = 'of the instance types that nodes have (--metrics-detail full: of all)';

export const CLOUD_METRICS = {
  cloudCallDuration: histogram(
    'karpenter_cloudprovider_duration_seconds',
    "Duration of calls to the cloud provider with all their retries, by controller, method (Create, Delete and List as Karpenter has them, and Berth's own) and provider.",
    CLOUD_SECONDS,
    ['controller', 'method', 'provider'],
  ),
  cloudCallErrors: counter(
    'karpenter_cloudprovider_errors_total',
    'Number of failed calls to the cloud provider, by controller, method, provider, error (InsufficientCapacityError counts instances that were not launched) and nodepool, where the call is about one.',
    ['controller', 'method', 'provider', 'error', 'nodepool'],
  ),
  launchFailuresByZone: counter(
    'karpenter_cloudprovider_instance_launch_failures_total',
    'Number of offerings that could not be launched, by zone, capacity_type and reason, the error code; zone_id is always empty.',
    ['zone', 'zone_id', 'capacity_type', 'reason'],
  ),
  terminationFailures: counter(
    'karpenter_cloudprovider_instance_termination_failures_total',
    'Number of failed requests to terminate an instance, by zone; zone_id is always empty.',
    ['zone', 'zone_id'],
  ),
  launchBatchSize: histogram(
    'karpenter_cloudprovider_batcher_batch_size',
    'Number of instances that one request asks for, by batcher: create_fleet.',
    BATCH_SIZES,
    ['batcher'],
  ),
  launchBatchTime: histogram(
    'karpenter_cloudprovider_batcher_batch_time_seconds',
    'Duration from the creation of the first NodeClaim of a launch group until its launch is requested, by batcher: create_fleet.',
    STARTUP_SECONDS,
    ['batcher'],
  ),
  offeringPrice: gauge(
    'karpenter_cloudprovider_instance_type_offering_price_estimate',
    `Price in USD/h of an offering, by instance_type, capacity_type and zone, ${SHOWN}.`,
    OFFERING,
  ),
  offeringAvailable: gauge(
    'karpenter_cloudprovider_instance_type_offering_available',
    `Whether an offering can be launched as far as is known: 1 or 0, by instance_type, capacity_type and zone, ${SHOWN}.`,
    OFFERING,
  ),
  instanceTypeMemory: gauge(
    'karpenter_cloudprovider_instance_type_memory_bytes',
    `Memory of an instance type in bytes, by instance_type, ${SHOWN}.`,
    ['instance_type'],
  ),
  instanceTypeCores: gauge(
    'karpenter_cloudprovider_instance_type_cpu_cores',
    `vCPUs of an instance type, by instance_type, ${SHOWN}.`,
    ['instance_type'],
  ),
  cloudRequests: counter(
    'berth_aws_requests_total',
    "Number of requests to the cloud provider's API, including retries, by service, operation and outcome: ok or the error class.",
    ['service', 'operation', 'outcome'],
  ),
  cloudRequestDuration: histogram(
    'berth_aws_request_duration_seconds',
    "Duration of requests to the cloud provider's API, without client-side throttling, by service and operation.",
    CLOUD_SECONDS,
    ['service', 'operation'],
  ),
  sdkRequests: counter(
    'aws_sdk_go_request_total',
    "Number of calls of the cloud provider's API with all their retries, by service, action and code: the status of the HTTP response.",
    REQUEST,
  ),
  sdkRequestDuration: histogram(
    'aws_sdk_go_request_duration_seconds',
    "Duration of calls of the cloud provider's API with all their retries and client-side throttling, by service, action and code.",
    CLOUD_SECONDS,
    REQUEST,
  ),
  sdkRetries: histogram(
    'aws_sdk_go_request_retry_count',
    "Number of retries of one call of the cloud provider's API, by service, action and code.",
    RETRIES,
    REQUEST,
  ),
  sdkAttempts: counter(
    'aws_sdk_go_request_attempt_total',
    "Number of requests to the cloud provider's API, including retries, by service, action and code.",
    REQUEST,
  ),
  sdkAttemptDuration: histogram(
    'aws_sdk_go_request_attempt_duration_seconds',
    "Duration of requests to the cloud provider's API, without client-side throttling, by service, action and code.",
    CLOUD_SECONDS,
    REQUEST,
  ),
  catalogueFailures: counter(
    'berth_catalogue_failures_total',
    'Number of failed refreshes of the instance type catalogue, which keeps the last good data, by part.',
    ['part'],
  ),
};

export type CloudMetrics = Made<typeof CLOUD_METRICS>;
