/** The placement group that a node class selects, with the instances in it that are not the cluster's. */
import {
  DescribePlacementGroupsCommand,
  type PlacementGroup as Ec2PlacementGroup,
} from '@aws-sdk/client-ec2';
import { PLACEMENT_STRATEGIES, type PlacementGroup } from '../../../../domain/nodes/placement-group.js';
import type { Clock } from '../../../../ports/clock.js';
import { CLUSTER_TAG } from '../../../../ports/cloud.js';
import { hasCode } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/aws-clients.js';
import type { NodeClassSpec } from '../../api/ec2-node-class.js';
import { instancesOfGroup } from '../instances/list-instances.js';
import { TimedCache } from './timed-cache.js';

const KEPT_MILLIS = 60_000;
/** What was not found may be created soon. */
const NOTHING_MILLIS = 5_000;
const IN_USE = ['pending', 'running', 'stopping', 'shutting-down'];

type Selector = NonNullable<NodeClassSpec['placementGroupSelector']>;

interface PlacementGroupsOptions {
  readonly clients: AwsClients;
  readonly clock: Clock;
  /** The UID of the kube-system namespace. */
  readonly clusterUID: () => string;
}

/** A group, or a sentence saying what the user has to mend. */
type FoundPlacementGroup = { readonly group: PlacementGroup } | { readonly problem: string };

export class PlacementGroups {
  readonly #options: PlacementGroupsOptions;
  readonly #found: TimedCache<FoundPlacementGroup>;

  constructor(options: PlacementGroupsOptions) {
    this.#options = options;
    this.#found = new TimedCache(options.clock);
  }

  /** Answers are kept for a minute. @throws PortError, when AWS fails. */
  find(selector: Selector, signal?: AbortSignal): Promise<FoundPlacementGroup> {
    return this.#found.through(
      JSON.stringify([selector.id, selector.name]),
      () => this.#ask(selector, signal),
      (found) => ('group' in found ? KEPT_MILLIS : NOTHING_MILLIS),
    );
  }

  forget(): void {
    this.#found.clear();
  }

  async #ask(selector: Selector, signal?: AbortSignal): Promise<FoundPlacementGroup> {
    const { region } = this.#options.clients;
    const field = selector.id === undefined ? 'name' : 'id';
    const where = `spec.placementGroupSelector.${field} ${selector[field] ?? ''}`;
    const [found] = await this.#describe(selector, signal);
    if (found === undefined)
      return {
        problem: `${where}: there is no such placement group in ${region}: create it, or correct the selector`,
      };
    const { State: state = 'available', GroupName: name = '' } = found;
    if (state !== 'available')
      return { problem: `${where}: the placement group is ${state}, and has to be available` };
    const strategy = PLACEMENT_STRATEGIES.find((known) => known === found.Strategy);
    if (strategy === undefined) return { problem: `${where}: ${unknownStrategy(found)}` };
    const others = strategy === 'partition' ? NO_INSTANCES : await this.#others(name, signal);
    return { group: { ...groupOf(found, strategy), others } };
  }

  async #describe({ id, name }: Selector, signal?: AbortSignal): Promise<readonly Ec2PlacementGroup[]> {
    const input = id === undefined ? { GroupNames: [name ?? ''] } : { GroupIds: [id] };
    try {
      const { PlacementGroups: found = [] } = await this.#options.clients.call(
        'DescribePlacementGroups',
        (ec2, options) => ec2.send(new DescribePlacementGroupsCommand(input), options),
        { signal },
      );
      return found;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return [];
      throw error;
    }
  }

  /** Zone → instances of the group that the cluster does not own. */
  async #others(name: string, signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { clients, clusterUID } = this.#options;
    const counts = new Map<string, number>();
    for (const { zone, state, tags } of await instancesOfGroup(clients, name, signal))
      if (IN_USE.includes(state) && tags.get(CLUSTER_TAG) !== clusterUID())
        counts.set(zone, (counts.get(zone) ?? 0) + 1);
    return counts;
  }
}

const NO_INSTANCES: PlacementGroup['others'] = new Map();

function groupOf(
  { GroupId: id = '', GroupName: name = '', SpreadLevel: level = 'rack', PartitionCount }: Ec2PlacementGroup,
  strategy: PlacementGroup['strategy'],
): Omit<PlacementGroup, 'others'> {
  const spreadLevel = strategy === 'spread' ? level : undefined;
  const partitions = strategy === 'partition' ? (PartitionCount ?? 0) : 0;
  return { id, name, strategy, spreadLevel, partitions };
}

function unknownStrategy({ Strategy: strategy }: Ec2PlacementGroup): string {
  return `its strategy is ${strategy ?? 'unknown'}; supported are ${PLACEMENT_STRATEGIES.join(', ')}`;
}
