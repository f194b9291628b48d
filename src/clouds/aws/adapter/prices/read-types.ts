/** What EC2 says of instance types: what they are, and in which zones they are offered. */
import {
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  type Filter,
} from '@aws-sdk/client-ec2';
import { embeddedTypes } from '../../catalogue/index.js';
import { allPages, type AwsClients } from '../client/index.js';
import { liveType, type LiveType } from './live-type.js';

/** What EC2 answers at most on one page. */
const TYPES_PAGE = 100;
const OFFERINGS_PAGE = 1_000;
const FILTERS: Filter[] = [
  { Name: 'supported-virtualization-type', Values: ['hvm'] },
  { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
];

/** Types of the region by name, those that are known to the embedded catalogue and others. @throws PortError */
export async function readTypes(
  clients: AwsClients,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, LiveType>> {
  const known = embeddedTypes();
  const pages = await allPages({
    operation: 'ec2:DescribeInstanceTypes',
    fetch: (NextToken) =>
      clients.call(
        'DescribeInstanceTypes',
        (ec2, options) =>
          ec2.send(
            new DescribeInstanceTypesCommand({ Filters: FILTERS, MaxResults: TYPES_PAGE, NextToken }),
            options,
          ),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  return new Map(
    pages
      .flatMap(({ InstanceTypes = [] }) => InstanceTypes)
      .flatMap((info): [string, LiveType][] => {
        const type = liveType(info, known.get(info.InstanceType ?? '')?.facts);
        return type === undefined ? [] : [[type.facts.name, type]];
      }),
  );
}

/** Type → its zones, in order. @throws PortError */
export async function readZones(
  clients: AwsClients,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const pages = await allPages({
    operation: 'ec2:DescribeInstanceTypeOfferings',
    fetch: (NextToken) =>
      clients.call(
        'DescribeInstanceTypeOfferings',
        (ec2, options) =>
          ec2.send(
            new DescribeInstanceTypeOfferingsCommand({
              LocationType: 'availability-zone',
              MaxResults: OFFERINGS_PAGE,
              NextToken,
            }),
            options,
          ),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  const zones = new Map<string, Set<string>>();
  for (const { InstanceType, Location } of pages.flatMap(
    ({ InstanceTypeOfferings = [] }) => InstanceTypeOfferings,
  )) {
    if (InstanceType === undefined || Location === undefined) continue;
    const known = zones.get(InstanceType) ?? new Set();
    zones.set(InstanceType, known.add(Location));
  }
  return new Map([...zones].map(([type, own]) => [type, [...own].sort()]));
}
