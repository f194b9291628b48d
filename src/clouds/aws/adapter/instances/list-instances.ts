/** Instances by their tags, or by their ids. */
import {
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  type DescribeInstancesCommandOutput,
  type Filter,
  type Instance,
  type Placement,
} from '@aws-sdk/client-ec2';
import { NO_LABELS, type Labels } from '../../../../domain/values/labels.js';
import type { CloudInstance } from '../../../../ports/cloud.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import type { CapacityType } from '../../../../domain/nodes/instance-type.js';

/**
 * EC2 would give a thousand, whose XML takes the SDK 150 to 220 milliseconds of processor time in one piece: for so long
 * kube-scheduler would not be answered. A page of these takes about 20.
 */
const PAGE = 100;

/** The fewest that EC2 lets one ask for. */
const SMALLEST_PAGE = 5;

/** In every state, ended ones as long as EC2 remembers them. One that moved between two pages is returned once. */
export function listInstances(
  clients: Pick<AwsClients, 'call'>,
  tags: Labels,
  signal?: AbortSignal,
): Promise<readonly CloudInstance[]> {
  return filteredInstances(clients, tagFilters(tags), signal);
}

/** EC2 takes 200 values of a filter. */
const MOST_VALUES = 200;

/** Those with these ids and tags; one that EC2 does not know is missing. */
export async function instancesOfIDs(
  clients: Pick<AwsClients, 'call'>,
  { ids, tags = NO_LABELS }: { readonly ids: readonly string[]; readonly tags?: Labels },
  signal?: AbortSignal,
): Promise<readonly CloudInstance[]> {
  const found: CloudInstance[] = [];
  for (let index = 0; index < ids.length; index += MOST_VALUES) {
    const filter = { Name: 'instance-id', Values: ids.slice(index, index + MOST_VALUES) };
    found.push(...(await filteredInstances(clients, [...tagFilters(tags), filter], signal)));
  }
  return found;
}

/** Those in the placement group of this name, of other clusters and programs too. */
export function instancesOfGroup(
  clients: Pick<AwsClients, 'call'>,
  name: string,
  signal?: AbortSignal,
): Promise<readonly CloudInstance[]> {
  return filteredInstances(clients, [{ Name: 'placement-group-name', Values: [literal(name)] }], signal);
}

async function filteredInstances(
  clients: Pick<AwsClients, 'call'>,
  Filters: Filter[],
  signal?: AbortSignal,
): Promise<readonly CloudInstance[]> {
  const pages = await allPages({
    operation: OPERATION,
    fetch: (next) => page(clients, { Filters, MaxResults: PAGE, NextToken: next }, signal),
    next: ({ next }) => next,
  });
  const listed = pages.flatMap(({ instances }) => instances);
  return [...new Map(listed.map((instance) => [instance.id, instance])).values()];
}

/** One that is starting or running; undefined when there is none. What comes after it is not read. */
export async function anyLiveInstance(
  clients: Pick<AwsClients, 'call'>,
  tags: Labels,
  signal?: AbortSignal,
): Promise<CloudInstance | undefined> {
  const Filters = [...tagFilters(tags), { Name: 'instance-state-name', Values: ['pending', 'running'] }];
  const pages = await allPages({
    operation: OPERATION,
    fetch: (next) => page(clients, { Filters, MaxResults: SMALLEST_PAGE, NextToken: next }, signal),
    // A page may be empty although more follow.
    next: ({ instances, next }) => (instances.length > 0 ? undefined : next),
  });
  return pages.at(-1)?.instances[0];
}

const OPERATION = 'ec2:DescribeInstances';

interface Page {
  readonly instances: readonly CloudInstance[];
  readonly next: string | undefined;
}

async function page(
  clients: Pick<AwsClients, 'call'>,
  input: DescribeInstancesCommandInput,
  signal?: AbortSignal,
): Promise<Page> {
  const answer = await clients.call(
    'DescribeInstances',
    (client, options) => client.send(new DescribeInstancesCommand(input), options),
    { signal },
  );
  // At once: what the SDK made of a page is many times as large.
  return { instances: instancesOf(answer), next: answer.NextToken };
}

function tagFilters(tags: Labels): Filter[] {
  return [...tags].map(([key, value]) => ({ Name: `tag:${key}`, Values: [literal(value)] }));
}

function instancesOf({
  Reservations: groups = [],
}: DescribeInstancesCommandOutput): readonly CloudInstance[] {
  const instances = groups.flatMap((group) => group.Instances ?? []);
  return instances.flatMap((instance) => cloudInstanceOf(instance) ?? []);
}

/** In a filter `*` and `?` stand for others. */
function literal(value: string): string {
  return value.replaceAll(/[\\*?]/g, String.raw`\$&`);
}

// An EC2 instance as the Cloud port shows it.

const STATES: readonly CloudInstance['state'][] = [
  'pending',
  'running',
  'stopping',
  'stopped',
  'shutting-down',
  'terminated',
];

/** undefined for one without an id, or in a state that EC2 does not document. */
function cloudInstanceOf(instance: Instance): CloudInstance | undefined {
  const { InstanceId: id, InstanceType: instanceType = '', Placement, State, LaunchTime, Tags } = instance;
  const state = STATES.find((name) => name === State?.Name);
  if (id === undefined || state === undefined) return undefined;
  const { AvailabilityZone: zone = '', PartitionNumber: partition } = Placement ?? {};
  return {
    id,
    providerID: `aws:///${zone}/${id}`,
    instanceType,
    zone,
    capacityType: capacityTypeOf(instance),
    imageID: instance.ImageId ?? '',
    state,
    launchedAt: LaunchTime?.getTime() ?? 0,
    tags: new Map((Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
    securityGroupIDs: instance.SecurityGroups?.flatMap(({ GroupId }) => GroupId ?? []),
    partition,
    reservationID: reservationOf(instance) ?? '',
    placementGroup: groupOf(Placement),
  };
}

function groupOf({ GroupName: name = '', GroupId: id = '' }: Placement = {}): NonNullable<
  CloudInstance['placementGroup']
> {
  return { name, id };
}

/**
 * An on-demand instance may happen to use an open reservation; reserved is one that was launched into one, and is in one still:
 * it continues as on-demand where the reservation ends or is cancelled.
 */
function capacityTypeOf(instance: Instance): CapacityType {
  if (instance.InstanceLifecycle === 'spot') return 'spot';
  return reservationOf(instance) === undefined ? 'on-demand' : 'reserved';
}

/** While it starts EC2 may not say yet what the instance is in, but what it was launched into. */
function reservationOf({
  CapacityReservationSpecification: asked,
  CapacityReservationId: current,
  State,
}: Instance): string | undefined {
  const wanted = asked?.CapacityReservationTarget?.CapacityReservationId;
  if (wanted === undefined) return undefined;
  return current ?? (State?.Name === 'running' ? undefined : wanted);
}
