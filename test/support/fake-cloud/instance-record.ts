/** What the cloud knows of an instance, and how it looks at a given moment: states and tags are functions of time. */
import type { Labels } from '../../../src/domain/values/labels.js';
import type { NodeSettings } from '../../../src/clouds/aws/families/node-settings.js';
import type { LaunchCall, CloudInstance } from '../../../src/ports/cloud.js';
import type { CapacityPool } from '../../../world/aws/model/capacity-stock.js';

export interface InstanceRecord {
  readonly id: string;
  readonly pool: CapacityPool;
  readonly imageID: string;
  /** Milliseconds since 1970. */
  readonly launchedAt: number;
  /** When its end was asked for; undefined while nobody has. */
  endedAt: number | undefined;
  /** In the order of time, each with all tags from then on. */
  readonly tags: { readonly at: number; readonly tags: Labels }[];
  /** What its node registers with. */
  readonly labels: Labels;
  readonly taints: LaunchCall['taints'];
  readonly nodeClass: NodeSettings | undefined;
}

export interface InstanceTimes {
  /** From launch to running. */
  readonly pendingMillis: number;
  /** From shutting-down to terminated. */
  readonly shutdownMillis: number;
}

/** How long an instance is told of after its end; EC2 says about an hour. */
const REMEMBERED_MILLIS = 3_600_000;

/** The instance as it is or was at a moment; undefined before its launch and once it is forgotten. */
export function instanceAt(
  record: InstanceRecord,
  time: number,
  times: InstanceTimes,
): CloudInstance | undefined {
  const { id, pool, imageID, launchedAt, endedAt = Infinity } = record;
  if (time < launchedAt || time >= endedAt + times.shutdownMillis + REMEMBERED_MILLIS) return undefined;
  return {
    id,
    providerID: `aws:///${pool.zone}/${id}`,
    ...pool,
    imageID,
    state: stateAt(record, time, times),
    launchedAt,
    tags: record.tags.findLast(({ at }) => at <= time)?.tags ?? new Map(),
  };
}

function stateAt(
  { launchedAt, endedAt = Infinity }: InstanceRecord,
  time: number,
  { pendingMillis, shutdownMillis }: InstanceTimes,
): CloudInstance['state'] {
  if (time >= endedAt + shutdownMillis) return 'terminated';
  if (time >= endedAt) return 'shutting-down';
  return time >= launchedAt + pendingMillis ? 'running' : 'pending';
}
