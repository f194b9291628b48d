/** What is measured of nodes being taken away: Karpenter's names. */
import type { Counter, Gauge, Histogram } from 'prom-client';
import type { MetricFactory } from './metric-factory.js';

const QUEUE_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300];

type DecisionLabel = 'decision' | 'reason' | 'consolidation_type';

export interface DisruptionMetrics {
  readonly disruptionDecisions: Counter<DecisionLabel>;
  readonly disruptionEligibleNodes: Gauge<'reason'>;
  readonly disruptionQueueFailures: Counter<DecisionLabel>;
  readonly disruptionFailedValidations: Counter<'reason' | 'consolidation_type'>;
  readonly consolidationTimeouts: Counter<'consolidation_type'>;
  readonly allowedDisruptions: Gauge<'nodepool' | 'reason'>;
  readonly unhealthyDisrupted: Counter<'condition' | 'nodepool' | 'capacity_type' | 'image_id'>;
  readonly deletionCostWrites: Counter<'result'>;
  readonly emptyingNodes: Gauge;
}

export function disruptionMetrics({ counter, gauge }: MetricFactory): DisruptionMetrics {
  return {
    disruptionDecisions: counter(
      'karpenter_voluntary_disruption_decisions_total',
      'Number of disruption decisions, by decision (delete, replace), reason and consolidation_type (single, multi or an empty string).',
      ['decision', 'reason', 'consolidation_type'],
    ),
    disruptionEligibleNodes: gauge(
      'karpenter_voluntary_disruption_eligible_nodes',
      'Number of nodes eligible for disruption, by reason.',
      ['reason'],
    ),
    disruptionQueueFailures: counter(
      'karpenter_voluntary_disruption_queue_failures_total',
      'Number of disruption decisions that failed while they were carried out, by decision, reason and consolidation_type.',
      ['decision', 'reason', 'consolidation_type'],
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
    allowedDisruptions: gauge(
      'karpenter_nodepools_allowed_disruptions',
      'Number of nodes that the disruption budgets of a NodePool allow now, by nodepool and reason.',
      ['nodepool', 'reason'],
    ),
    unhealthyDisrupted: counter(
      'karpenter_nodeclaims_unhealthy_disrupted_total',
      'Number of NodeClaims disrupted because their node is unhealthy, by condition, nodepool, capacity_type and image_id.',
      ['condition', 'nodepool', 'capacity_type', 'image_id'],
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
}

export interface InterruptionMetrics {
  readonly interruptionReceived: Counter<'message_type'>;
  readonly interruptionDeleted: Counter;
  readonly interruptionQueueDuration: Histogram;
}

export function interruptionMetrics({ counter, seconds }: MetricFactory): InterruptionMetrics {
  return {
    interruptionReceived: counter(
      'karpenter_interruption_received_messages_total',
      'Number of messages received from the interruption queue, by message_type.',
      ['message_type'],
    ),
    interruptionDeleted: counter(
      'karpenter_interruption_deleted_messages_total',
      'Number of messages deleted from the interruption queue.',
    ),
    interruptionQueueDuration: seconds(
      'karpenter_interruption_message_queue_duration_seconds',
      'Duration from sending to handling of an interruption message.',
      QUEUE_SECONDS,
    ),
  };
}
