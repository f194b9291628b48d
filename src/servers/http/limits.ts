/** Limits of a server for each connection, before a request is read. */

export interface HttpLimits {
  /** From a request's first byte until its last header has come. */
  readonly headersTimeoutMillis: number;
  /** Until the whole request has come. */
  readonly requestTimeoutMillis: number;
  /** All headers together. */
  readonly maxHeaderBytes: number;
  /** Further ones are closed at once. */
  readonly maxConnections: number;
  /** Answers given on one connection before it is closed; 0 for any number. */
  readonly maxRequestsPerSocket: number;
  /** How long a connection may wait for its first request, and for its next. */
  readonly keepAliveMillis: number;
  /** How long an answer may wait for its reader to take the next bytes. */
  readonly stalledMillis: number;
}

/**
 * Go's clients (kube-apiserver, kube-scheduler) give an idle connection up after 90 s (client-go's transport). The
 * server waits longer, so that it never closes a connection on which a request is just being sent: such a POST is not
 * repeated by them.
 */
export const DEFAULT_LIMITS: HttpLimits = {
  headersTimeoutMillis: 3000,
  requestTimeoutMillis: 5000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 10_000,
  maxRequestsPerSocket: 0,
  keepAliveMillis: 120_000,
  stalledMillis: 30_000,
};

/** How much of a body is read. Parsing costs by the value, so both are bounded: no body takes 100 ms of CPU to parse. */
export interface BodySize {
  readonly maxBytes: number;
  /** Lists, objects, texts, numbers and keys together. */
  readonly maxValues: number;
}

/**
 * AdmissionReview of a pod that is created: etcd stores no object above 1.5 MiB, which as JSON may be twice that. A pod
 * with more values than this goes through unstamped, since the webhook's failurePolicy is Ignore.
 */
export const POD_REVIEW_SIZE: BodySize = { maxBytes: 3_500_000, maxValues: 100_000 };
/** AdmissionReview of a policy ConfigMap, which is a long text rather than many values. */
export const POLICY_REVIEW_SIZE: BodySize = { maxBytes: 1_500_000, maxValues: 20_000 };
/** ExtenderArgs; the bytes are for kube-schedulers that send whole nodes (nodeCacheCapable: false). */
export const EXTENDER_SIZE: BodySize = { maxBytes: 16_000_000, maxValues: 300_000 };

/** Nesting of JSON; Kubernetes' own objects stay below 20. */
export const MAX_JSON_DEPTH = 64;
