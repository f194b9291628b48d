/** Everything Berth measures: Karpenter's names where Karpenter has them, `berth_` before the others. */
import { Gauge, Registry } from 'prom-client';
import { cloudMetrics, type CloudMetrics } from './cloud-metrics.js';
import { metricFactory, WORK_SECONDS, type MetricFactory } from './metric-factory.js';
import {
  disruptionMetrics,
  interruptionMetrics,
  type DisruptionMetrics,
  type InterruptionMetrics,
} from './metrics-disruption.js';
import { safetyMetrics, type SafetyMetrics } from './metrics-safety.js';

export interface MetricsOptions {
  /** Berth's, for berth_build_info. */
  readonly version?: string | undefined;
}

/** The metrics of one process, each a property; on a registry of their own. */
export interface Metrics
  extends
    ReturnType<typeof karpenterMetrics>,
    ReturnType<typeof karpenterDurations>,
    ReturnType<typeof workQueueMetrics>,
    ReturnType<typeof serverMetrics>,
    ReturnType<typeof clusterMetrics>,
    ReturnType<typeof planMetrics>,
    CloudMetrics,
    DisruptionMetrics,
    SafetyMetrics,
    InterruptionMetrics,
    ReturnType<typeof recordMetrics> {
  readonly registry: Registry;
  /**
   * Called before every scrape, to set gauges that are cheaper to count then than to keep up to date. Answers what ends
   * that.
   */
  onScrape(collect: () => void): () => void;
}

/** New metrics, all zero. */
export function createMetrics({ version = 'development' }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const collectors = new Set<() => void>();
  // Metrics are read in the order in which they were made: this one first, so that it can have the others set.
  const build = new Gauge({
    name: 'berth_build_info',
    help: 'Build information: always 1, by version.',
    labelNames: ['version'],
    registers: [registry],
    collect: () => {
      for (const collect of collectors) collect();
    },
  });
  build.set({ version }, 1);
  const make = metricFactory(registry);
  return {
    registry,
    onScrape: (collect) => {
      collectors.add(collect);
      return () => collectors.delete(collect);
    },
    ...safetyMetrics(make),
    ...karpenterMetrics(make),
    ...karpenterDurations(make),
    ...workQueueMetrics(make),
    ...serverMetrics(make),
    ...clusterMetrics(make),
    ...planMetrics(make),
    ...cloudMetrics(make),
    ...disruptionMetrics(make),
    ...interruptionMetrics(make),
    ...recordMetrics(make),
  };
}

/** Answers to kube-scheduler and kube-apiserver. */
const ANSWER_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** What instances take part in. */
const STARTUP_SECONDS = [1, 5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1200];

function karpenterMetrics({ counter, gauge }: MetricFactory) {
  return {
    podsState: gauge('karpenter_pods_state', 'Number of pods, by phase.', ['phase']),
    nodesCreated: counter('karpenter_nodes_created_total', 'Number of nodes that registered, by nodepool.', [
      'nodepool',
    ]),
    nodesTerminated: counter(
      'karpenter_nodes_terminated_total',
      'Number of nodes drained and terminated, by nodepool.',
      ['nodepool'],
    ),
    nodeClaimsCreated: counter(
      'karpenter_nodeclaims_created_total',
      'Number of NodeClaims created, by nodepool and reason.',
      ['nodepool', 'reason'],
    ),
    nodeClaimsTerminated: counter(
      'karpenter_nodeclaims_terminated_total',
      'Number of NodeClaims whose instance was terminated, by nodepool.',
      ['nodepool'],
    ),
    nodesDrained: counter('karpenter_nodes_drained_total', 'Number of nodes drained, by nodepool.', [
      'nodepool',
    ]),
    evictionRequests: counter(
      'karpenter_nodes_eviction_requests_total',
      'Number of eviction requests, by response code: 200, or 429 when a PodDisruptionBudget does not allow the eviction.',
      ['code'],
    ),
    nodeClaimsDisrupted: counter(
      'karpenter_nodeclaims_disrupted_total',
      'Number of NodeClaims disrupted, by nodepool and reason.',
      ['nodepool', 'reason'],
    ),
    schedulerQueueDepth: gauge('karpenter_scheduler_queue_depth', 'Number of pods waiting to be planned.'),
    schedulerUnschedulablePods: gauge(
      'karpenter_scheduler_unschedulable_pods_count',
      'Number of pods that the last plan could not place.',
    ),
    clusterStateSynced: gauge(
      'karpenter_cluster_state_synced',
      'Whether the caches of all watched resources are synced: 1 or 0.',
    ),
    clusterStateNodes: gauge('karpenter_cluster_state_node_count', 'Number of nodes in the cluster state.'),
    nodePoolUsage: gauge(
      'karpenter_nodepools_usage',
      'Total resources of the nodes of a NodePool, by nodepool and resource_type.',
      ['nodepool', 'resource_type'],
    ),
    nodePoolLimit: gauge(
      'karpenter_nodepools_limit',
      'Resource limits of a NodePool (spec.limits), by nodepool and resource_type.',
      ['nodepool', 'resource_type'],
    ),
  };
}

function karpenterDurations({ seconds }: MetricFactory) {
  return {
    disruptionDecisionEvaluation: seconds(
      'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
      'Duration of one disruption evaluation, by reason and consolidation_type.',
      WORK_SECONDS,
      ['reason', 'consolidation_type'],
    ),
    disruptionEvaluation: seconds(
      'karpenter_disruption_evaluation_duration_seconds',
      'Duration of one disruption evaluation under its name before Karpenter 1.0, by method and consolidation_type.',
      WORK_SECONDS,
      ['method', 'consolidation_type'],
    ),
    schedulingDuration: seconds(
      'karpenter_scheduler_scheduling_duration_seconds',
      'Duration from the close of a batch of pods to its plan.',
      WORK_SECONDS,
    ),
    podsStartupDuration: seconds(
      'karpenter_pods_startup_duration_seconds',
      'Duration from the creation of a pod until it runs.',
      STARTUP_SECONDS,
    ),
    nodesTermination: seconds(
      'karpenter_nodes_termination_duration_seconds',
      'Duration from the deletion request for a node until the node is removed, by nodepool.',
      STARTUP_SECONDS,
      ['nodepool'],
    ),
    nodeClaimsTermination: seconds(
      'karpenter_nodeclaims_termination_duration_seconds',
      'Duration from the deletion request for a NodeClaim until the NodeClaim is removed, by nodepool.',
      STARTUP_SECONDS,
      ['nodepool'],
    ),
    instanceTermination: seconds(
      'karpenter_nodeclaims_instance_termination_duration_seconds',
      'Duration from the termination request for an instance until the cloud reports it terminated, by nodepool.',
      STARTUP_SECONDS,
      ['nodepool'],
    ),
  };
}

function workQueueMetrics({ counter, gauge, seconds }: MetricFactory) {
  return {
    workQueueDepth: gauge('workqueue_depth', 'Number of keys in the work queue, by name.', ['name']),
    workQueueAdds: counter('workqueue_adds_total', 'Number of keys added to the work queue, by name.', [
      'name',
    ]),
    workQueueRetries: counter('workqueue_retries_total', 'Number of retries in the work queue, by name.', [
      'name',
    ]),
    workQueueWait: seconds(
      'workqueue_queue_duration_seconds',
      'Time that keys wait in the work queue, by name.',
      WORK_SECONDS,
      ['name'],
    ),
    workQueueWork: seconds(
      'workqueue_work_duration_seconds',
      'Time that processing a key takes, by name.',
      WORK_SECONDS,
      ['name'],
    ),
  };
}

function serverMetrics({ counter, seconds }: MetricFactory) {
  return {
    extenderRequests: counter(
      'berth_extender_requests_total',
      'Number of extender requests of kube-scheduler, by verb and outcome.',
      ['verb', 'outcome'],
    ),
    extenderDuration: seconds(
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
    admissionDuration: seconds(
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
}

function clusterMetrics({ counter }: MetricFactory) {
  return {
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
    apiErrors: counter(
      'berth_api_errors_total',
      'Number of failed operations and API requests, by operation and code.',
      ['operation', 'code'],
    ),
  };
}

function planMetrics({ counter, gauge, seconds }: MetricFactory) {
  return {
    planDuration: seconds(
      'berth_plan_duration_seconds',
      'Duration of planning, without waiting.',
      WORK_SECONDS,
    ),
    planPods: gauge('berth_plan_pods', 'Number of pods in the last plan.'),
    planRepairs: counter(
      'berth_plan_repairs_total',
      'Number of plans that failed verification and were not used, by the violated rule and the remedy.',
      ['rule', 'remedy'],
    ),
    planHourlyPrice: gauge(
      'berth_plan_hourly_price',
      'Total price in USD/h of the instances in the last plan.',
    ),
    reservations: gauge('berth_reservations', 'Number of Reservations.'),
    reservedPods: gauge('berth_reserved_pods', 'Number of pods with a Reservation.'),
    earlyPods: counter(
      'berth_early_pods_total',
      'Number of pods planned before kube-scheduler tried them, together with others that it found unschedulable.',
    ),
    schedulerErrors: counter(
      'berth_scheduler_errors_total',
      'Number of pods that kube-scheduler failed on (reason SchedulerError).',
    ),
    gatesRemoved: counter(
      'berth_scheduling_gates_removed_total',
      'Number of pods whose scheduling gate Berth removed: planned (for a node that is ready), refused (without a place), unplanned (after 15 minutes, or a pod that Berth does not plan).',
      ['reason'],
    ),
    pinnedPodsReplaced: counter(
      'berth_pinned_pods_replaced_total',
      'Number of pods evicted because the only node where they might go has no room for them any more.',
    ),
    roomTaken: counter(
      'berth_room_taken_total',
      'Number of pods that were bound into room held for planned pods, by who bound them.',
      ['by'],
    ),
    launches: counter('berth_launches_total', 'Number of NodeClaim launches, by nodepool and outcome.', [
      'nodepool',
      'outcome',
    ]),
    launchFailures: counter(
      'berth_launch_failures_total',
      'Number of offerings that could not be launched, by error code.',
      ['code'],
    ),
  };
}

function recordMetrics({ counter, gauge }: MetricFactory) {
  return {
    decisions: counter(
      'berth_decisions_total',
      'Number of decisions, recorded or not, by action and reason.',
      ['action', 'reason'],
    ),
    decisionsDropped: counter(
      'berth_decisions_dropped_total',
      'Number of decisions and events dropped by rate limits.',
    ),
    leader: gauge('berth_leader', 'Whether this replica is the leader: 1 or 0.'),
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
}
