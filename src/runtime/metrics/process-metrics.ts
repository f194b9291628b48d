/** What a process measures of itself: its servers, its watches and requests, what it records, and whether it leads. */
import { counter, gauge, histogram } from './metric-factory.js';

/** Answers to kube-scheduler and kube-apiserver. */
const ANSWER_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export const SERVER_METRICS = {
  extenderRequests: counter(
    'berth_extender_requests_total',
    'Number of extender requests of kube-scheduler, by verb and outcome.',
    ['verb', 'outcome'],
  ),
  extenderDuration: histogram(
    'berth_extender_duration_seconds',
    'Duration of extender requests of kube-scheduler, by verb.',
    ANSWER_SECONDS,
    ['verb'],
  ),
  extenderPasses: counter(
    'berth_extender_passes_total',
    'Number of extender requests that failed open (every node allowed), by cause.',
    ['cause'],
  ),
  extenderAbandoned: counter(
    'berth_extender_abandoned_total',
    'Number of extender requests that kube-scheduler did not wait for (httpTimeout), by verb.',
    ['verb'],
  ),
  admissionRequests: counter(
    'berth_admission_requests_total',
    'Number of admission requests, by webhook and outcome.',
    ['webhook', 'outcome'],
  ),
  admissionDuration: histogram(
    'berth_admission_duration_seconds',
    'Duration of admission requests, by webhook.',
    ANSWER_SECONDS,
    ['webhook'],
  ),
  httpRefused: counter(
    'berth_http_refused_total',
    'Number of HTTP requests rejected before they were handled, by server and cause.',
    ['server', 'cause'],
  ),
};

export const CLUSTER_METRICS = {
  kubeRequests: counter(
    'client_go_request_total',
    'Number of requests to the Kubernetes API, watches included, by code (0 without a response) and method.',
    ['code', 'method'],
  ),
  kubeRequestDuration: histogram(
    'client_go_request_duration_seconds',
    'Duration of requests to the Kubernetes API, of watches until they begin, by verb, group, version, kind (the name of the resource) and subresource.',
    ANSWER_SECONDS,
    ['verb', 'group', 'version', 'kind', 'subresource'],
  ),
  watchRelists: counter(
    'berth_watch_relists_total',
    'Number of list requests for watched resources, by kind.',
    ['kind'],
  ),
  watchRestarts: counter('berth_watch_restarts_total', 'Number of watches that ended, by kind.', ['kind']),
  watchHandlerErrors: counter(
    'berth_watch_handler_errors_total',
    'Number of watched objects that could not be processed, by kind.',
    ['kind'],
  ),
  decodeFindings: counter(
    'berth_decode_findings_total',
    'Number of fields that could not be decoded, by kind.',
    ['kind'],
  ),
  refusedChanges: counter(
    'berth_refused_changes_total',
    'Number of requests that would have changed something and were not sent because of --mode observe, by target (kubernetes or the cloud) and operation.',
    ['target', 'operation'],
  ),
  apiErrors: counter(
    'berth_api_errors_total',
    'Number of failed operations and API requests, by operation and code.',
    ['operation', 'code'],
  ),
};

export const RECORD_METRICS = {
  decisions: counter('berth_decisions_total', 'Number of decisions, recorded or not, by action and reason.', [
    'action',
    'reason',
  ]),
  decisionsDropped: counter(
    'berth_decisions_dropped_total',
    'Number of decisions and events dropped by rate limits.',
  ),
  leader: gauge('berth_leader', 'Whether this replica is the leader: 1 or 0.'),
  leaderStatus: gauge(
    'leader_election_master_status',
    'Whether this replica holds a Lease: 1 or 0, by name of the Lease.',
    ['name'],
  ),
  authoritiesLost: counter(
    'berth_certificate_authorities_lost_total',
    'Number of times that the CA was lost with its Secret and replaced: kube-scheduler has to be given the new one.',
  ),
  certificateExpiry: gauge(
    'berth_certificate_expiry_seconds',
    'Expiry time of a certificate in seconds since 1970, by name.',
    ['name'],
  ),
};
