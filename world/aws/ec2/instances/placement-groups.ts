/** The account's placement groups, and which instances they take (EC2 user guide, Placement groups). */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { invalidValue, ServiceError } from '../../model/service-error.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
import { tagSet } from '../query/tags.js';
import type { Instance } from './instance.js';
import type { Instances } from './instances.js';

export interface PlacementGroup {
  /** `pg-…`. */
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'spread' | 'partition';
  /** `rack` unless given; of the strategy spread. */
  readonly spreadLevel?: 'rack' | 'host';
  /** Of the strategy partition. */
  readonly partitions?: number;
  /** `available` unless given. */
  readonly state?: 'pending' | 'available' | 'deleting' | 'deleted';
  readonly tags?: Labels;
}

/** Into which group, and which of its partitions, a launch is aimed. */
export interface PlacementAim {
  readonly groupID: string | undefined;
  readonly groupName: string | undefined;
  readonly partition: number | undefined;
}

/** Running instances of a group that spreads over racks, in one zone. */
const MOST_IN_ZONE = 7;

export class PlacementGroups {
  readonly #groups = new Map<string, PlacementGroup>();
  readonly #instances: Instances;
  /** Instance → the partition that EC2 chose for it. */
  readonly #partitions = new Map<string, number>();

  constructor(instances: Instances) {
    this.#instances = instances;
  }

  /** Of a known one it changes what it says, its state for example. */
  add(group: PlacementGroup): void {
    this.#groups.set(group.id, group);
  }

  /**
   * The group that a launch aims at; undefined when it aims at none.
   * @throws ServiceError InvalidPlacementGroup.Unknown; InvalidParameterCombination, for a type that the group cannot have;
   *   InvalidParameterValue, for another zone than that of its cluster, or a partition that it has not.
   */
  aimedAt(aim: PlacementAim, instanceType: string, zone: string): PlacementGroup | undefined {
    const { groupID, groupName, partition } = aim;
    if (groupID === undefined && groupName === undefined) return undefined;
    const group = this.#find(groupID, groupName);
    if (group.strategy === 'cluster' && !isForClusters(instanceType))
      throw new ServiceError(
        'InvalidParameterCombination',
        `Cluster placement groups are not supported by the '${instanceType}' instance type. Specify a supported instance type or change the placement group strategy, and try again.`,
      );
    const [first] = this.#active(group);
    if (group.strategy === 'cluster' && first !== undefined && first.pool.zone !== zone)
      throw invalidValue(
        'GroupName',
        group.name,
        `It is in use in the Availability Zone ${first.pool.zone}.`,
      );
    if (partition !== undefined && (partition < 1 || partition > (group.partitions ?? 0)))
      throw invalidValue('PartitionNumber', String(partition), 'The placement group has no such partition.');
    return group;
  }

  /** How many more instances the group takes in the zone. */
  left(group: PlacementGroup, zone: string): number {
    if (group.strategy !== 'spread' || group.spreadLevel === 'host') return Infinity;
    return MOST_IN_ZONE - this.#active(group).filter(({ pool }) => pool.zone === zone).length;
  }

  /** Of an instance in a group with partitions: the one that was asked for, or that with the fewest instances when it came. */
  partitionOf({ id, placement }: Instance): number | undefined {
    const group = placement === undefined ? undefined : this.#groups.get(placement.id);
    if (placement === undefined || group?.partitions === undefined) return undefined;
    const chosen = placement.partition ?? this.#partitions.get(id) ?? this.#emptiest(group);
    this.#partitions.set(id, chosen);
    return chosen;
  }

  /** @throws ServiceError InvalidPlacementGroup.Unknown, when it names one that is not there. */
  describe(query: QueryNode): XmlStructure {
    const names = query.texts('GroupName');
    const ids = query.texts('GroupId');
    const named = [
      ...names.map((name) => this.#find(undefined, name)),
      ...ids.map((id) => this.#find(id, undefined)),
    ];
    const all = named.length > 0 ? named : [...this.#groups.values()];
    const fields: FilterFields<PlacementGroup> = {
      'group-name': ({ name }) => name,
      'spread-level': (group) => spreadLevelOf(group),
      state: ({ state = 'available' }) => state,
      strategy: ({ strategy }) => strategy,
    };
    const found = applyFilters(query, all, { fields, tags: ({ tags = new Map() }) => tags });
    return { placementGroupSet: found.map(groupXml) };
  }

  #find(id: string | undefined, name: string | undefined): PlacementGroup {
    const found = [...this.#groups.values()].find((group) => group.id === id || group.name === name);
    if (found !== undefined) return found;
    throw new ServiceError(
      'InvalidPlacementGroup.Unknown',
      `The Placement Group '${name ?? id ?? ''}' is unknown.`,
    );
  }

  #active({ id }: PlacementGroup): readonly Instance[] {
    return this.#instances.active().filter(({ placement }) => placement?.id === id);
  }

  #emptiest(group: PlacementGroup): number {
    const counts = new Array<number>(group.partitions ?? 1).fill(0);
    for (const { id, placement } of this.#active(group)) {
      const partition = placement?.partition ?? this.#partitions.get(id);
      if (partition !== undefined) counts[partition - 1] = (counts[partition - 1] ?? 0) + 1;
    }
    return counts.indexOf(Math.min(...counts)) + 1;
  }
}

/** All but burstable and flex types and Macs. */
export function isForClusters(instanceType: string): boolean {
  return !/^(t\d|mac)|-flex\./.test(instanceType);
}

function spreadLevelOf({ strategy, spreadLevel = 'rack' }: PlacementGroup): string | undefined {
  return strategy === 'spread' ? spreadLevel : undefined;
}

function groupXml(group: PlacementGroup): XmlStructure {
  const { id, name, strategy, partitions, state = 'available', tags = new Map() } = group;
  return {
    groupId: id,
    groupName: name,
    state,
    strategy,
    ...(partitions !== undefined && { partitionCount: partitions }),
    spreadLevel: spreadLevelOf(group),
    tagSet: tagSet(tags),
  };
}
