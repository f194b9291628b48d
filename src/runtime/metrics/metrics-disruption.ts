/** What is measured of nodes being taken away: Karpenter's names. */
import { DISRUPTED_LABELS } from './claim-metrics.js';
import { WORK_SECONDS, counter, gauge, histogram } from './metric-factory.js';

const QUEUE_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300];
/** Karpenter's. */
const REBOOT_SECONDS = [10, 20, 40, 80, 160, 320, 640, 1280];
const DECISION = ['decision', 'reason', 'consolidation_type'] as const;

export const DISRUPTION_METRICS = {
  disruptionDecisionEvaluation: histogram(
    'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
    'Duration of one disruption evaluation, by reason and consolidation_type.',
    WORK_SECONDS,
    ['reason', 'consolidation_type'],
  ),
  disruptionEvaluation: histogram(
    'karpenter_disruption_evaluation_duration_seconds',
    'Duration of one disruption evaluation under its name before Karpenter 1.0, by method and consolidation_type.',
    WORK_SECONDS,
    ['method', 'consolidation_type'],
  ),
  disruptionDecisions: counter(
    'karpenter_voluntary_disruption_decisions_total',
    'Number of disruption decisions, by decision (delete, replace, terminate-first, reboot), reason and consolidation_type (single, multi or an empty string).',
    DECISION,
  ),
  disruptionDecisionsByPool: counter(
    'karpenter_voluntary_disruption_decisions_by_nodepool_total',
    'Number of nodes that disruption decisions are about, by nodepool, decision, reason and consolidation_type.',
    ['nodepool', ...DECISION],
  ),
  terminateFirstDecisions: counter(
    'karpenter_voluntary_disruption_terminate_first_decisions_total',
    'Number of nodes that go before their replacement is launched, by nodepool, reason and terminate_first_reason (static-at-limit, no-reserved-capacity).',
    ['nodepool', 'reason', 'terminate_first_reason'],
  ),
  reboots: counter(
    'karpenter_nodes_reboots_total',
    'Number of reboots of nodes by repair that ended, by result (succeeded, provider_error, recovery_timeout, invalid_request).',
    ['result'],
  ),
  rebootDuration: histogram(
    'karpenter_nodes_reboot_duration_seconds',
    'Duration from the decision to reboot a node until the reboot succeeded or failed, by result.',
    REBOOT_SECONDS,
    ['result'],
  ),
  rebootRecovery: histogram(
    'karpenter_nodes_reboot_recovery_duration_seconds',
    'Duration from the acceptance of a reboot by the cloud until the node is Ready with a new boot ID.',
    REBOOT_SECONDS,
  ),
  disruptionEligibleNodes: gauge(
    'karpenter_voluntary_disruption_eligible_nodes',
    'Number of nodes eligible for disruption, by reason.',
    ['reason'],
  ),
  disruptionQueueFailures: counter(
    'karpenter_voluntary_disruption_queue_failures_total',
    'Number of disruption decisions that failed while they were carried out, by decision, reason and consolidation_type.',
    DECISION,
  ),
  disruptionFailedValidations: counter(
    'karpenter_voluntary_disruption_failed_validations_total',
    'Number of nodes whose disruption decision failed validation, by reason and consolidation_type.',
    ['reason', 'consolidation_type'],
  ),
  consolidationTimeouts: counter(
    'karpenter_voluntary_disruption_consolidation_timeouts_total',
    'Number of consolidation passes that timed out, by consolidation_type.',
    ['consolidation_type'],
  ),
  consolidationMoves: counter(
    'karpenter_consolidation_moves_total',
    'Number of moves judged in NodePools with consolidationPolicy Balanced, by decision (approved, rejected), nodepool and policy.',
    ['decision', 'nodepool', 'policy'],
  ),
  allowedDisruptions: gauge(
    'karpenter_nodepools_allowed_disruptions',
    'Number of nodes that the disruption budgets of a NodePool allow now, by nodepool and reason.',
    ['nodepool', 'reason'],
  ),
  budgetsConsumed: gauge(
    'karpenter_nodepools_nodes_consuming_budgets',
    'Number of nodes of a NodePool that count against its disruption budgets, by nodepool and reason.',
    ['nodepool', 'reason'],
  ),
  driftRollout: gauge(
    'berth_nodepools_drift_rollout',
    '1 for the stage of the roll-out of drift in each NodePool with berth.driftRollout, by nodepool and stage (RolledOut, Canary, Soaking, RollingOut, Paused).',
    ['nodepool', 'stage'],
  ),
  podsDisrupted: counter(
    'karpenter_pods_disruption_initiated_total',
    'Number of pods on disrupted nodes, without those of DaemonSets and mirror pods, by the labels of karpenter_nodeclaims_disrupted_total.',
    DISRUPTED_LABELS,
  ),
  deletionCostWrites: counter(
    'karpenter_pod_deletion_cost_pod_annotation_writes_total',
    'Number of writes of the annotation controller.kubernetes.io/pod-deletion-cost, by result.',
    ['result'],
  ),
  emptyingNodes: gauge(
    'berth_emptying_nodes',
    'Number of nodes that should empty out: their pods have a low pod deletion cost, and other pods prefer other nodes.',
  ),
};

export const INTERRUPTION_METRICS = {
  interruptionReceived: counter(
    'karpenter_interruption_received_messages_total',
    'Number of messages received from the interruption queue, by message_type.',
    ['message_type'],
  ),
  unhealthyStatuses: counter(
    'karpenter_interruption_instance_status_unhealthy_total',
    'Number of scheduled events and failed status checks of instances that were found, by category.',
    ['category'],
  ),
  interruptionDeleted: counter(
    'karpenter_interruption_deleted_messages_total',
    'Number of messages deleted from the interruption queue.',
  ),
  interruptionQueueDuration: histogram(
    'karpenter_interruption_message_queue_duration_seconds',
    'Duration from sending to handling of an interruption message.',
    QUEUE_SECONDS,
  ),
};
