/** The labels of nodes in a placement group, as requirements of a pool: they are chosen as labels are that a pool leaves open. */
import { partitionsOf } from '../../../domain/nodes/placement-group.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import { PLACEMENT_GROUP_ID, PLACEMENT_GROUP_PARTITION } from '../../../domain/values/labels.js';
import { requirement, type Requirement } from '../../../domain/values/requirement.js';
import type { PoolOffer } from '../../snapshot/cluster-input.js';

export const PLACEMENT_LABELS: ReadonlySet<string> = new Set([PLACEMENT_GROUP_ID, PLACEMENT_GROUP_PARTITION]);

/**
 * None for a pool without a placement group. A node is in a partition of the cloud's choice where no pod's topology rule counts
 * partitions: its label has a value only once it is launched.
 */
export function placementRequirements(
  { placementGroup }: PoolOffer,
  specs: readonly PodSpec[],
): readonly Requirement[] {
  if (placementGroup === undefined) return [];
  const { id, partitions } = placementGroup;
  const group = requirement(PLACEMENT_GROUP_ID, 'In', [id]);
  if (partitions === 0) return [group];
  const partition = requirement(PLACEMENT_GROUP_PARTITION, 'In', partitionsOf(placementGroup));
  return [group, { ...partition, absent: !specs.some(countsPartitions) }];
}

function countsPartitions({ spread, podAffinity, podAntiAffinity }: PodSpec): boolean {
  const terms = [podAffinity, podAntiAffinity].flatMap(({ required, preferred }) => [
    ...required,
    ...preferred.map(({ term }) => term),
  ]);
  return [...spread, ...terms].some(({ topologyKey }) => topologyKey === PLACEMENT_GROUP_PARTITION);
}
