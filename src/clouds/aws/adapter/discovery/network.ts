/** Subnets and security groups that selector terms name. */
import {
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  type SecurityGroup,
  type Subnet,
} from '@aws-sdk/client-ec2';
import type { Clock } from '../../../../ports/clock.js';
import { allPages } from '../client/all-pages.js';
import type { AwsClients } from '../client/aws-clients.js';
import type { ResolvedSecurityGroup, ResolvedSubnet } from './resolution.js';
import { filterSets, type Ec2Filter, type SelectorTerm } from './selector-terms.js';
import { TimedCache } from './timed-cache.js';

/** Free addresses change with every launch, the rest hardly ever. */
const SUBNETS_MILLIS = 30_000;
const GROUPS_MILLIS = 60_000;
/** What was not found may be created soon. */
const NOTHING_MILLIS = 5_000;
const PAGE_SIZE = 1_000;

export class Network {
  readonly #clients: AwsClients;
  readonly #subnets: TimedCache<readonly ResolvedSubnet[]>;
  readonly #groups: TimedCache<readonly ResolvedSecurityGroup[]>;

  constructor(clients: AwsClients, clock: Clock) {
    this.#clients = clients;
    this.#subnets = new TimedCache(clock);
    this.#groups = new TimedCache(clock);
  }

  /** Subnets that any of the terms selects, by id. @throws PortError */
  async subnets(terms: readonly SelectorTerm[], signal?: AbortSignal): Promise<readonly ResolvedSubnet[]> {
    const answers = await Promise.all(
      filterSets(terms, { id: 'subnet-id' }).map((filters) =>
        this.#subnets.through(
          JSON.stringify(filters),
          () => this.#askSubnets(filters, signal),
          goodFor(SUBNETS_MILLIS),
        ),
      ),
    );
    return union(answers);
  }

  /** Security groups that any of the terms selects, by id. @throws PortError */
  async securityGroups(
    terms: readonly SelectorTerm[],
    signal?: AbortSignal,
  ): Promise<readonly ResolvedSecurityGroup[]> {
    const answers = await Promise.all(
      filterSets(terms, { id: 'group-id', name: 'group-name' }).map((filters) =>
        this.#groups.through(
          JSON.stringify(filters),
          () => this.#askGroups(filters, signal),
          goodFor(GROUPS_MILLIS),
        ),
      ),
    );
    return union(answers);
  }

  forget(): void {
    this.#subnets.clear();
    this.#groups.clear();
  }

  async #askSubnets(filters: Ec2Filter[], signal?: AbortSignal): Promise<readonly ResolvedSubnet[]> {
    const pages = await allPages({
      operation: 'ec2:DescribeSubnets',
      fetch: (NextToken) =>
        this.#clients.call(
          'DescribeSubnets',
          (ec2, options) =>
            ec2.send(
              new DescribeSubnetsCommand({ Filters: filters, MaxResults: PAGE_SIZE, NextToken }),
              options,
            ),
          { signal },
        ),
      next: (page) => page.NextToken,
    });
    return pages.flatMap(({ Subnets = [] }) => Subnets.flatMap(toSubnet));
  }

  async #askGroups(filters: Ec2Filter[], signal?: AbortSignal): Promise<readonly ResolvedSecurityGroup[]> {
    const pages = await allPages({
      operation: 'ec2:DescribeSecurityGroups',
      fetch: (NextToken) =>
        this.#clients.call(
          'DescribeSecurityGroups',
          (ec2, options) =>
            ec2.send(
              new DescribeSecurityGroupsCommand({ Filters: filters, MaxResults: PAGE_SIZE, NextToken }),
              options,
            ),
          { signal },
        ),
      next: (page) => page.NextToken,
    });
    return pages.flatMap(({ SecurityGroups = [] }) => SecurityGroups.flatMap(toGroup));
  }
}

function goodFor(millis: number): (answer: readonly unknown[]) => number {
  return ({ length }) => (length === 0 ? NOTHING_MILLIS : millis);
}

function toSubnet(subnet: Subnet): readonly ResolvedSubnet[] {
  const { SubnetId: id, AvailabilityZone: zone, State, Ipv6Native } = subnet;
  if (id === undefined || zone === undefined || (State !== undefined && State !== 'available')) return [];
  return [
    {
      id,
      zone,
      zoneID: subnet.AvailabilityZoneId,
      // EC2 counts IPv4 addresses only.
      freeAddresses: Ipv6Native === true ? Infinity : (subnet.AvailableIpAddressCount ?? 0),
      vpcID: subnet.VpcId,
    },
  ];
}

function toGroup({ GroupId: id, GroupName, VpcId }: SecurityGroup): readonly ResolvedSecurityGroup[] {
  return id === undefined ? [] : [{ id, name: GroupName ?? '', vpcID: VpcId }];
}

/** What several terms select is there once. */
function union<T extends { readonly id: string }>(answers: readonly (readonly T[])[]): readonly T[] {
  const byID = new Map(answers.flat().map((item) => [item.id, item]));
  return [...byID.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}
