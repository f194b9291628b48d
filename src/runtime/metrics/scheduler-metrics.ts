/** What is measured of planning: Karpenter's names of its scheduler, and Berth's own. */
import { WORK_SECONDS, counter, gauge, histogram } from './metric-factory.js';

/** The value of Karpenter's label `controller` for what provisioning does. */
export const PROVISIONER = 'provisioner';

export const SCHEDULER_METRICS = {
  schedulingDuration: histogram(
    'karpenter_scheduler_scheduling_duration_seconds',
    'Duration from the close of a batch of pods to its plan, by controller (provisioner, disruption).',
    WORK_SECONDS,
    ['controller'],
  ),
  schedulerQueueDepth: gauge(
    'karpenter_scheduler_queue_depth',
    'Number of pods waiting to be planned, by controller; scheduling_id is always empty.',
    ['controller', 'scheduling_id'],
  ),
  schedulerUnfinishedWork: gauge(
    'karpenter_scheduler_unfinished_work_seconds',
    'For how long the plan that is being computed has taken, 0 when there is none, by controller; scheduling_id is always empty.',
    ['controller', 'scheduling_id'],
  ),
  schedulerUnschedulablePods: gauge(
    'karpenter_scheduler_unschedulable_pods_count',
    'Number of pods that the last plan could not place, by controller.',
    ['controller'],
  ),
  schedulerIgnoredPods: gauge(
    'karpenter_scheduler_ignored_pods_count',
    'Number of unschedulable pods that Berth does not plan, such as those with resource claims or of another scheduler.',
  ),
  planDuration: histogram(
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
  heldTaintsRemoved: counter(
    'berth_held_taints_removed_total',
    'Number of nodes whose taint berth.sh/held Berth removed: settled (all pods planned there are bound, or planned elsewhere), late (two minutes after the node was usable), full (a pod has as many of its tolerations as it may), off (Berth does not taint new nodes any more).',
    ['reason'],
  ),
  podsNotStamped: counter(
    'berth_pods_not_stamped_total',
    'Number of pods that lack the scheduling gate or the scheduler that PodDefaults say, because the API server created them without the webhook.',
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
