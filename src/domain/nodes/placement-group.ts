/** Placement groups: where instances of a group may be, beside those that it has. */
import { PLACEMENT_GROUP_ID, ZONE } from '../values/labels.js';
import type { InstanceType } from './instance-type.js';
import type { NodeClaim } from './node-claim.js';

export const PLACEMENT_STRATEGIES = ['cluster', 'spread', 'partition'] as const;
type PlacementStrategy = (typeof PLACEMENT_STRATEGIES)[number];

export interface PlacementGroup {
  /** `pg-…`. */
  readonly id: string;
  readonly name: string;
  readonly strategy: PlacementStrategy;
  /** `rack` or `host`; undefined of other strategies than spread. */
  readonly spreadLevel: string | undefined;
  /** 0 of other strategies than partition. */
  readonly partitions: number;
  /** Zone → instances in it that are not this cluster's. */
  readonly others: ReadonlyMap<string, number>;
}

/** Running instances that a group which spreads over racks takes in a zone. */
const MOST_SPREAD_IN_ZONE = 7;

/** The numbers of the group's partitions, as the label karpenter.k8s.aws/placement-group-partition has them. */
export function partitionsOf({ partitions }: Pick<PlacementGroup, 'partitions'>): readonly string[] {
  return Array.from({ length: partitions }, (_, index) => String(index + 1));
}

/** Instances of a group, those that end included. */
interface GroupInstances {
  /** Zone → how many are there, or are going to be. */
  readonly byZone: ReadonlyMap<string, number>;
  /** Those that are going to be in one of several zones. */
  readonly unplaced: number;
}

/** The instances of these claims that are in the group, and those of others. */
export function instancesOf(
  { id, others }: Pick<PlacementGroup, 'id' | 'others'>,
  claims: Iterable<NodeClaim>,
): GroupInstances {
  const byZone = new Map(others);
  let unplaced = 0;
  for (const claim of claims) {
    if (claim.labels.get(PLACEMENT_GROUP_ID) !== id || isAbandoned(claim)) continue;
    const zone = zoneOf(claim);
    if (zone === undefined) unplaced++;
    else byZone.set(zone, (byZone.get(zone) ?? 0) + 1);
  }
  return { byZone, unplaced };
}

/** It will not be launched any more. */
function isAbandoned({ deletionTimestamp, status }: NodeClaim): boolean {
  return deletionTimestamp !== undefined && status.providerID === undefined;
}

/** undefined while it may become any. */
function zoneOf({ status, spec }: NodeClaim): string | undefined {
  if (status.zone !== undefined) return status.zone;
  const asked = status.launch?.answeredAt === undefined ? status.launch?.request : undefined;
  if (asked !== undefined && asked.capacityType !== 'spot') return asked.overrides[0]?.zone;
  const stated = spec.requirements.find(({ key }) => key === ZONE);
  return stated?.complement === false && stated.values.size === 1 ? [...stated.values][0] : undefined;
}

/**
 * How many more instances of the group the zone takes, where it has so many by zone. A group of the strategy cluster is in one
 * zone: that of its first instance.
 */
export function roomInZone(
  { strategy, spreadLevel }: Pick<PlacementGroup, 'strategy' | 'spreadLevel'>,
  zone: string,
  { byZone }: Pick<GroupInstances, 'byZone'>,
): number {
  if (strategy === 'cluster') return byZone.size === 0 || byZone.has(zone) ? Infinity : 0;
  if (strategy === 'partition' || spreadLevel === 'host') return Infinity;
  return Math.max(0, MOST_SPREAD_IN_ZONE - (byZone.get(zone) ?? 0));
}

/** How many more instances of the group these zones take together. */
export function roomIn(group: PlacementGroup, zones: readonly string[], instances: GroupInstances): number {
  const rooms = zones.map((zone) => roomInZone(group, zone, instances));
  return Math.max(0, rooms.reduce((sum, room) => sum + room, 0) - instances.unplaced);
}

/** Whether instances of the type can be in the group: burstable and flex types and Macs cannot be in one that is a cluster. */
export function canBeIn(
  { strategy }: Pick<PlacementGroup, 'strategy'>,
  { name }: Pick<InstanceType, 'name'>,
): boolean {
  return strategy !== 'cluster' || !/^(t\d|mac)|-flex\./.test(name);
}

/** Why nothing more is launched into the group. */
export function describeFull({ name, strategy }: Pick<PlacementGroup, 'name' | 'strategy'>): string {
  return strategy === 'cluster'
    ? `placement group ${name} is a cluster, whose instances are all in one zone, and none can be launched there now`
    : `placement group ${name} has ${String(MOST_SPREAD_IN_ZONE)} running instances in each zone, the most that it takes; use another placement group, or larger instances`;
}
