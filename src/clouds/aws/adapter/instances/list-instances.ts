/** The instances with certain tags. */
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import type { Labels } from '../../../../domain/values/labels.js';
import type { CloudInstance } from '../../../../ports/cloud.js';
import { allPages, type AwsClients } from '../client/index.js';
import { cloudInstanceOf } from './instance-of.js';

/** EC2's largest page. */
const PAGE = 1000;

/** In every state, ended ones as long as EC2 remembers them. One that moved between two pages is returned once. */
export async function listInstances(
  clients: Pick<AwsClients, 'call'>,
  tags: Labels,
  signal?: AbortSignal,
): Promise<readonly CloudInstance[]> {
  const Filters = [...tags].map(([key, value]) => ({ Name: `tag:${key}`, Values: [literal(value)] }));
  const pages = await allPages({
    operation: 'ec2:DescribeInstances',
    fetch: (NextToken) =>
      clients.call(
        'DescribeInstances',
        (client, options) =>
          client.send(new DescribeInstancesCommand({ Filters, MaxResults: PAGE, NextToken }), options),
        { signal },
      ),
    next: (page) => page.NextToken,
  });
  const instances = pages.flatMap(({ Reservations: groups = [] }) =>
    groups.flatMap((group) => group.Instances ?? []),
  );
  const listed = instances.flatMap((instance) => cloudInstanceOf(instance) ?? []);
  return [...new Map(listed.map((instance) => [instance.id, instance])).values()];
}

/** In a filter `*` and `?` stand for others. */
function literal(value: string): string {
  return value.replaceAll(/[\\*?]/g, String.raw`\$&`);
}
