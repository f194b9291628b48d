/** Whether the security groups of the nodes that run Berth let the control plane reach its webhook. */
import {
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  type IpPermission,
} from '@aws-sdk/client-ec2';
import { failed, ok, type CheckFinding } from '../../../../domain/records/check-finding.js';
import type { WebhookPlace } from '../../../../ports/account-check.js';
import type { ClusterQuestion } from './cluster-question.js';

/** More replicas than anyone has. */
const MOST_NODES = 10;

type PlacedNode = WebhookPlace['nodes'][number] & { readonly id: string };

export async function webhookAccess(
  question: ClusterQuestion,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const { cluster, subject } = question;
  const place = await subject.webhook();
  const nodes = (place?.nodes ?? []).slice(0, MOST_NODES).flatMap((node): readonly PlacedNode[] => {
    const [id] = /i-[0-9a-f]{8,17}$/.exec(node.providerID) ?? [];
    return id === undefined ? [] : [{ ...node, id }];
  });
  if (place === undefined || nodes.length === 0) return [];
  const { clusterSecurityGroupId = '', securityGroupIds = [] } = cluster.resourcesVpcConfig ?? {};
  const senders = [clusterSecurityGroupId, ...securityGroupIds].filter((id) => id !== '');
  const groupsOf = await groupsByInstance(question, nodes, signal);
  const rules = await ingressByGroup(question, [...new Set([...groupsOf.values()].flat())], signal);
  const closed = nodes.filter(({ id }) => {
    const groups = groupsOf.get(id) ?? [];
    // Of an instance that EC2 does not show nothing is known.
    return groups.length > 0 && !groups.some((group) => lets(rules.get(group) ?? [], place.port, senders));
  });
  const from = `the control plane (${senders.join(', ')})`;
  if (closed.length === 0)
    return [ok(`security groups let ${from} reach the webhook on TCP ${String(place.port)}`)];
  return closed.map(({ name, id }) => {
    const groups = (groupsOf.get(id) ?? []).join(', ');
    return failed(
      `no security group of the node ${name} (${groups}) lets ${from} reach the webhook on TCP ${String(place.port)}`,
      `Add an inbound rule to one of them: TCP ${String(place.port)} from ${clusterSecurityGroupId}`,
    );
  });
}

/** Whether a rule is for the port, and from one of these groups. Whose addresses are in a range cannot be seen: it counts. */
function lets(rules: readonly IpPermission[], port: number, senders: readonly string[]): boolean {
  return rules.some(
    ({ IpProtocol, FromPort = 0, ToPort = 65_535, UserIdGroupPairs = [], ...ranges }) =>
      (IpProtocol === '-1' || (isTcp(IpProtocol) && FromPort <= port && port <= ToPort)) &&
      (UserIdGroupPairs.some(({ GroupId = '' }) => senders.includes(GroupId)) ||
        [ranges.IpRanges, ranges.Ipv6Ranges, ranges.PrefixListIds].some((list) => (list ?? []).length > 0)),
  );
}

function isTcp(protocol: string | undefined): boolean {
  return protocol === 'tcp' || protocol === '6';
}

/** IDs of the security groups of all network interfaces, by the instance's ID. */
async function groupsByInstance(
  { clients }: ClusterQuestion,
  nodes: readonly PlacedNode[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const Filters = [{ Name: 'instance-id', Values: nodes.map(({ id }) => id) }];
  const { Reservations = [] } = await clients.call(
    'DescribeInstances',
    (client, options) => client.send(new DescribeInstancesCommand({ Filters }), options),
    { signal },
  );
  const instances = Reservations.flatMap(({ Instances = [] }) => Instances);
  return new Map(
    instances.map(({ InstanceId = '', SecurityGroups = [], NetworkInterfaces = [] }) => {
      const groups = [...SecurityGroups, ...NetworkInterfaces.flatMap(({ Groups = [] }) => Groups)];
      return [InstanceId, [...new Set(groups.flatMap(({ GroupId }) => GroupId ?? []))]];
    }),
  );
}

async function ingressByGroup(
  { clients }: ClusterQuestion,
  GroupIds: string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly IpPermission[]>> {
  if (GroupIds.length === 0) return new Map();
  const { SecurityGroups = [] } = await clients.call(
    'DescribeSecurityGroups',
    (client, options) => client.send(new DescribeSecurityGroupsCommand({ GroupIds }), options),
    { signal },
  );
  return new Map(SecurityGroups.map(({ GroupId = '', IpPermissions = [] }) => [GroupId, IpPermissions]));
}
