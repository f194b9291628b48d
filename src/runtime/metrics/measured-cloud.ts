/** A cloud whose calls are timed and counted, by who makes them. */
import { NODEPOOL_TAG, type Cloud } from '../../ports/cloud.js';
import type { Clock } from '../../ports/clock.js';
import { hasCode } from '../../ports/port-error.js';
import type { CloudMetrics } from './cloud-metrics.js';

export interface MeasuredCloudOptions {
  readonly clock: Clock;
  readonly metrics: CloudMetrics;
  /** Label `provider`. */
  readonly provider: string;
}

/** Karpenter's names of methods that it has, too. */
const METHODS = {
  launch: 'Create',
  terminate: 'Delete',
  instances: 'List',
  reboot: 'Reboot',
  prepareLaunch: 'PrepareLaunch',
  resolveNodeClass: 'ResolveNodeClass',
  tagInstances: 'TagInstances',
} as const satisfies Readonly<Record<Exclude<keyof Cloud, 'repairPolicies'>, string>>;

/** What a call is about, and whose errors are counted. */
interface Call {
  readonly method: keyof typeof METHODS;
  readonly nodepool?: string | undefined;
}

/** The cloud as a controller of this name uses it. */
export function measuredCloud(cloud: Cloud, options: MeasuredCloudOptions, controller: string): Cloud {
  const { clock, metrics, provider } = options;
  const labelsOf = ({ method }: Call) => ({ controller, method: METHODS[method], provider });
  const failed = (call: Call, error: string, count = 1): void => {
    metrics.cloudCallErrors.inc({ ...labelsOf(call), error, nodepool: call.nodepool ?? '' }, count);
  };
  const timed = async <T>(call: Call, work: () => Promise<T>): Promise<T> => {
    const start = clock.monotonic();
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, 'Cancelled')) failed(call, errorLabel(error));
      throw error;
    } finally {
      metrics.cloudCallDuration.observe(labelsOf(call), (clock.monotonic() - start) / 1000);
    }
  };
  return {
    repairPolicies: cloud.repairPolicies,
    launch: async (request, signal) => {
      const call: Call = { method: 'launch', nodepool: request.tags.get(NODEPOOL_TAG) };
      const answer = await timed(call, () => cloud.launch(request, signal));
      const missing = request.request.size - answer.instances.length;
      metrics.launchBatchSize.observe({ batcher: FLEET }, request.request.size);
      if (missing > 0) failed(call, NO_CAPACITY, missing);
      return answer;
    },
    terminate: (ids, signal) => timed({ method: 'terminate' }, () => cloud.terminate(ids, signal)),
    reboot: (id, operation, signal) => timed({ method: 'reboot' }, () => cloud.reboot(id, operation, signal)),
    instances: (tags, signal, ids) =>
      timed({ method: 'instances' }, () => cloud.instances(tags, signal, ids)),
    prepareLaunch: (intent, signal) =>
      timed({ method: 'prepareLaunch' }, () => cloud.prepareLaunch(intent, signal)),
    resolveNodeClass: (nodeClass, signal) =>
      timed({ method: 'resolveNodeClass' }, () => cloud.resolveNodeClass(nodeClass, signal)),
    tagInstances: (ids, tags, signal) =>
      timed({ method: 'tagInstances' }, () => cloud.tagInstances(ids, tags, signal)),
  };
}

/** Karpenter's values. */
function errorLabel(error: unknown): string {
  if (hasCode(error, 'NotFound')) return 'NodeClaimNotFoundError';
  return hasCode(error, 'InsufficientCapacity') ? NO_CAPACITY : 'unknown';
}

const NO_CAPACITY = 'InsufficientCapacityError';
const FLEET = 'create_fleet';
