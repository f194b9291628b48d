/** Everything Berth measures: Karpenter's names where Karpenter has them, `berth_` before the others. */
import { Gauge, Registry } from 'prom-client';
import { awsMetrics, type AwsMetrics } from './aws-metrics.js';
import { metricMakers, WORK_SECONDS, type MetricMakers } from './metric-makers.js';
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
    AwsMetrics,
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
    help: 'Always 1; labelled by version.',
    labelNames: ['version'],
    registers: [registry],
    collect: () => {
      for (const collect of collectors) collect();
    },
  });
  build.set({ version }, 1);
  const make = metricMakers(registry);
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
    ...awsMetrics(make),
    ...disruptionMetrics(make),
    ...interruptionMetrics(make),
    ...recordMetrics(make),
  };
}

/** Answers to kube-scheduler and kube-apiserver. */
const ANSWER_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** What machines take part in. */
const STARTUP_SECONDS = [1, 5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1200];

function karpenterMetrics({ counter, gauge }: MetricMakers) {
  return {
    podsState: gauge('karpenter_pods_state', 'Pods; labelled by phase.', ['phase']),
    nodesCreated: counter('karpenter_nodes_created_total', 'Nodes that registered; labelled by nodepool.', [
      'nodepool',
    ]),
    nodesTerminated: counter(
      'karpenter_nodes_terminated_total',
      'Nodes that were drained and let go; labelled by nodepool.',
      ['nodepool'],
    ),
    nodeClaimsCreated: counter(
      'karpenter_nodeclaims_created_total',
      'NodeClaims created; labelled by nodepool and reason.',
      ['nodepool', 'reason'],
    ),
    nodeClaimsTerminated: counter(
      'karpenter_nodeclaims_terminated_total',
      'NodeClaims whose machine is gone; labelled by nodepool.',
      ['nodepool'],
    ),
    nodesDrained: counter(
      'karpenter_nodes_drained_total',
      'Nodes whose pods are gone; labelled by nodepool.',
      ['nodepool'],
    ),
    evictionRequests: counter(
      'karpenter_nodes_eviction_requests_total',
      'Evictions asked for; labelled by the code of the answer: 200, or 429 where a PodDisruptionBudget forbids it.',
      ['code'],
    ),
    nodeClaimsDisrupted: counter(
      'karpenter_nodeclaims_disrupted_total',
      'NodeClaims that were decided to go; labelled by nodepool and reason.',
      ['nodepool', 'reason'],
    ),
    schedulerQueueDepth: gauge('karpenter_scheduler_queue_depth', 'Pods waiting for a place.'),
    schedulerUnschedulablePods: gauge(
      'karpenter_scheduler_unschedulable_pods_count',
      'Pods that the last plan had no place for.',
    ),
    clusterStateSynced: gauge(
      'karpenter_cluster_state_synced',
      'Whether everything that is watched has been listed: 1 or 0.',
    ),
    clusterStateNodes: gauge('karpenter_cluster_state_node_count', 'Nodes known.'),
    nodePoolUsage: gauge(
      'karpenter_nodepools_usage',
      'What the nodes of a pool have together; labelled by nodepool and resource_type.',
      ['nodepool', 'resource_type'],
    ),
    nodePoolLimit: gauge(
      'karpenter_nodepools_limit',
      'What the nodes of a pool may have together; labelled by nodepool and resource_type.',
      ['nodepool', 'resource_type'],
    ),
  };
}

function karpenterDurations({ seconds }: MetricMakers) {
  return {
    disruptionDecisionEvaluation: seconds(
      'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
      'Looking for nodes to take away; labelled by reason and consolidation_type.',
      WORK_SECONDS,
      ['reason', 'consolidation_type'],
    ),
    disruptionEvaluation: seconds(
      'karpenter_disruption_evaluation_duration_seconds',
      'Looking for nodes to take away, under the name it had before Karpenter 1.0; labelled by method and consolidation_type.',
      WORK_SECONDS,
      ['method', 'consolidation_type'],
    ),
    schedulingDuration: seconds(
      'karpenter_scheduler_scheduling_duration_seconds',
      'One batch of pods, from its close to its plan.',
      WORK_SECONDS,
    ),
    podsStartupDuration: seconds(
      'karpenter_pods_startup_duration_seconds',
      'From the creation of a pod until it runs.',
      STARTUP_SECONDS,
    ),
    nodesTermination: seconds(
      'karpenter_nodes_termination_duration_seconds',
      'From the wish to delete a node until it is gone; labelled by nodepool.',
      STARTUP_SECONDS,
      ['nodepool'],
    ),
    nodeClaimsTermination: seconds(
      'karpenter_nodeclaims_termination_duration_seconds',
      'From the wish to delete a NodeClaim until it is gone; labelled by nodepool.',
      STARTUP_SECONDS,
      ['nodepool'],
    ),
    instanceTermination: seconds(
      'karpenter_nodeclaims_instance_termination_duration_seconds',
      'From the wish to terminate a machine until the cloud says that it is; labelled by nodepool.',
      STARTUP_SECONDS,
      ['nodepool'],
    ),
  };
}

function workQueueMetrics({ counter, gauge, seconds }: MetricMakers) {
  return {
    workQueueDepth: gauge('workqueue_depth', 'Keys waiting; labelled by name.', ['name']),
    workQueueAdds: counter('workqueue_adds_total', 'Keys added; labelled by name.', ['name']),
    workQueueRetries: counter('workqueue_retries_total', 'Keys tried again; labelled by name.', ['name']),
    workQueueWait: seconds(
      'workqueue_queue_duration_seconds',
      'How long keys wait; labelled by name.',
      WORK_SECONDS,
      ['name'],
    ),
    workQueueWork: seconds(
      'workqueue_work_duration_seconds',
      'How long keys are worked on; labelled by name.',
      WORK_SECONDS,
      ['name'],
    ),
  };
}

function serverMetrics({ counter, seconds }: MetricMakers) {
  return {
    extenderRequests: counter(
      'berth_extender_requests_total',
      'Calls of kube-scheduler; labelled by verb and outcome.',
      ['verb', 'outcome'],
    ),
    extenderDuration: seconds(
      'berth_extender_duration_seconds',
      'Answering kube-scheduler; labelled by verb.',
      ANSWER_SECONDS,
      ['verb'],
    ),
    extenderPasses: counter(
      'berth_extender_passes_total',
      'Calls that were answered with everything asked about, because there was nothing to judge by; labelled by cause.',
      ['cause'],
    ),
    admissionRequests: counter(
      'berth_admission_requests_total',
      'Calls of kube-apiserver; labelled by webhook and outcome.',
      ['webhook', 'outcome'],
    ),
    admissionDuration: seconds(
      'berth_admission_duration_seconds',
      'Answering kube-apiserver; labelled by webhook.',
      ANSWER_SECONDS,
      ['webhook'],
    ),
    httpRefused: counter(
      'berth_http_refused_total',
      'Requests that were refused before anybody looked at what they ask; labelled by server and cause.',
      ['server', 'cause'],
    ),
  };
}

function clusterMetrics({ counter }: MetricMakers) {
  return {
    watchRelists: counter('berth_watch_relists_total', 'Lists made; labelled by kind.', ['kind']),
    watchRestarts: counter('berth_watch_restarts_total', 'Watches that ended; labelled by kind.', ['kind']),
    watchHandlerErrors: counter(
      'berth_watch_handler_errors_total',
      'Objects that could not be taken in; labelled by kind.',
      ['kind'],
    ),
    decodeFindings: counter(
      'berth_decode_findings_total',
      'Fields that could not be understood; labelled by kind.',
      ['kind'],
    ),
    apiErrors: counter(
      'berth_api_errors_total',
      'Work and calls that failed; labelled by operation and code.',
      ['operation', 'code'],
    ),
  };
}

function planMetrics({ counter, gauge, seconds }: MetricMakers) {
  return {
    planDuration: seconds('berth_plan_duration_seconds', 'Planning alone.', WORK_SECONDS),
    planPods: gauge('berth_plan_pods', 'Pods of the last plan.'),
    planRepairs: counter(
      'berth_plan_repairs_total',
      'Plans that the proof refuted before they could be used, by the rule that they broke and what was done instead.',
      ['rule', 'remedy'],
    ),
    planHourlyPrice: gauge('berth_plan_hourly_price', 'USD/h of the machines of the last plan.'),
    reservations: gauge('berth_reservations', 'Reservations.'),
    reservedPods: gauge('berth_reserved_pods', 'Pods that room is reserved for.'),
    schedulerErrors: counter(
      'berth_scheduler_errors_total',
      'Pods for which kube-scheduler could not find out whether they fit (reason SchedulerError).',
    ),
    launches: counter(
      'berth_launches_total',
      'NodeClaims that were launched or not; labelled by nodepool and outcome.',
      ['nodepool', 'outcome'],
    ),
    launchFailures: counter(
      'berth_launch_failures_total',
      'Offerings that could not be had; labelled by code.',
      ['code'],
    ),
  };
}

function recordMetrics({ counter, gauge }: MetricMakers) {
  return {
    decisions: counter(
      'berth_decisions_total',
      'Decisions taken, written down or not; labelled by action and reason.',
      ['action', 'reason'],
    ),
    decisionsDropped: counter(
      'berth_decisions_dropped_total',
      'Decisions and events that were not written down, because there were too many.',
    ),
    leader: gauge('berth_leader', 'Whether this replica leads: 1 or 0.'),
    certificateExpiry: gauge(
      'berth_certificate_expiry_seconds',
      'When a certificate ends, in seconds since 1970; labelled by name.',
      ['name'],
    ),
  };
}
