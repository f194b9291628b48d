/** What is measured of work queues and of those who empty them: the names of client-go and controller-runtime. */
import { WORK_SECONDS, counter, gauge, histogram } from './metric-factory.js';

const QUEUE = ['name', 'controller'] as const;

export const QUEUE_METRICS = {
  workQueueDepth: gauge(
    'workqueue_depth',
    'Number of keys in the work queue, by name and controller; priority is always empty.',
    [...QUEUE, 'priority'],
  ),
  workQueueAdds: counter(
    'workqueue_adds_total',
    'Number of keys added to the work queue, by name and controller.',
    QUEUE,
  ),
  workQueueRetries: counter(
    'workqueue_retries_total',
    'Number of retries in the work queue, by name and controller.',
    QUEUE,
  ),
  workQueueWait: histogram(
    'workqueue_queue_duration_seconds',
    'Time that keys wait in the work queue, by name and controller.',
    WORK_SECONDS,
    QUEUE,
  ),
  workQueueWork: histogram(
    'workqueue_work_duration_seconds',
    'Time that processing a key takes, by name and controller.',
    WORK_SECONDS,
    QUEUE,
  ),
  workQueueUnfinished: gauge(
    'workqueue_unfinished_work_seconds',
    'Total time for which the keys in work have been processed, by name and controller.',
    QUEUE,
  ),
  workQueueLongest: gauge(
    'workqueue_longest_running_processor_seconds',
    'Time for which the key that takes longest has been processed, by name and controller.',
    QUEUE,
  ),
  reconciles: counter(
    'controller_runtime_reconcile_total',
    'Number of keys processed, by controller and result: success, requeue_after or error.',
    ['controller', 'result'],
  ),
  reconcileErrors: counter(
    'controller_runtime_reconcile_errors_total',
    'Number of keys whose processing failed, by controller.',
    ['controller'],
  ),
  reconcileFinalErrors: counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Number of keys whose processing failed in a way that a retry does not mend, by controller.',
    ['controller'],
  ),
  reconcileTimeouts: counter(
    'controller_runtime_reconcile_timeouts_total',
    'Number of keys whose processing took too long and was aborted, by controller.',
    ['controller'],
  ),
  reconcileDuration: histogram(
    'controller_runtime_reconcile_time_seconds',
    'Time that processing a key takes, by controller.',
    WORK_SECONDS,
    ['controller'],
  ),
  activeWorkers: gauge(
    'controller_runtime_active_workers',
    'Number of keys that are being processed, by controller.',
    ['controller'],
  ),
  mostWorkers: gauge(
    'controller_runtime_max_concurrent_reconciles',
    'Number of keys that may be processed at the same time, by controller.',
    ['controller'],
  ),
};
