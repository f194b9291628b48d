/** Whether the cluster lets nodes with the roles of the node classes join: by access entries, or by the ConfigMap aws-auth. */
import { DescribeAccessEntryCommand, ListAccessEntriesCommand } from '@aws-sdk/client-eks';
import { GetInstanceProfileCommand } from '@aws-sdk/client-iam';
import { parse } from 'yaml';
import { failed, ok, type CheckFinding } from '../../../../domain/records/check-finding.js';
import { describeNodeClass } from '../../../../domain/policies/node-class.js';
import { hasCode } from '../../../../ports/port-error.js';
import { isEC2NodeClass, type EC2NodeClass } from '../../api/ec2-node-class.js';
import { allPages } from '../client/all-pages.js';
import type { ClusterQuestion } from './cluster-question.js';

const MOST_CLASSES = 20;
/** That a node needs to register (EKS user guide, "Grant IAM users access to Kubernetes with a ConfigMap"). */
const NODE_GROUPS = ['system:bootstrappers', 'system:nodes'];
const ADD =
  'Create an access entry of the type EC2_LINUX for the role (docs/aws.md, The account), or map it in the ConfigMap aws-auth';

export async function nodeAccess(
  question: ClusterQuestion,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const classes = (await question.subject.nodeClasses()).filter(isEC2NodeClass).slice(0, MOST_CLASSES);
  const mode = question.cluster.accessConfig?.authenticationMode ?? 'CONFIG_MAP';
  const entries = mode === 'CONFIG_MAP' ? [] : await accessEntries(question, signal);
  const findings: CheckFinding[] = [];
  const seen = new Set<string>();
  for (const nodeClass of classes)
    for (const role of await rolesOf(question, nodeClass, signal)) {
      const type = nodeClass.amiFamily.startsWith('Windows') ? 'EC2_WINDOWS' : 'EC2_LINUX';
      if (seen.has(`${role} ${type}`)) continue;
      seen.add(`${role} ${type}`);
      findings.push(
        await accessOf(question, { role, type, mode, entries, of: describeNodeClass(nodeClass) }, signal),
      );
    }
  return findings;
}

interface RoleQuestion {
  readonly role: string;
  readonly type: 'EC2_LINUX' | 'EC2_WINDOWS';
  readonly mode: string;
  /** ARNs of principals. */
  readonly entries: readonly string[];
  /** Which node class has the role. */
  readonly of: string;
}

async function accessOf(
  question: ClusterQuestion,
  { role, type, mode, entries, of }: RoleQuestion,
  signal: AbortSignal,
): Promise<CheckFinding> {
  const entry = entries.find((arn) => roleName(arn) === role);
  if (entry !== undefined) {
    const found = await entryType(question, entry, signal);
    if (found === type) return ok(`nodes of the role ${role} join by an access entry of the type ${type}`);
    return failed(
      `the access entry of the role ${role} of ${of} has the type ${found}: its nodes cannot join`,
      `Delete it, and create one of the type ${type} for ${entry}`,
    );
  }
  if (mode === 'API')
    return failed(
      `there is no access entry for the role ${role} of ${of}: its nodes cannot join`,
      ADD.replace(/, or map.*/, ''),
    );
  const mapping = (await mappedRoles(question)).find(({ rolearn }) => roleName(rolearn) === role);
  if (mapping === undefined)
    return failed(
      `the role ${role} of ${of} has neither an access entry nor a mapping in aws-auth (authentication mode ${mode}): its nodes cannot join`,
      mode === 'CONFIG_MAP'
        ? 'Map it in the ConfigMap aws-auth of kube-system (docs/aws.md, The account)'
        : ADD,
    );
  const missing = NODE_GROUPS.filter((group) => !mapping.groups.includes(group));
  if (missing.length > 0)
    return failed(
      `aws-auth maps the role ${role} of ${of} without ${missing.join(' and ')}: its nodes cannot join`,
      'Add the groups in the ConfigMap aws-auth of kube-system (docs/aws.md, The account)',
    );
  return ok(`nodes of the role ${role} join by the ConfigMap aws-auth`);
}

/** Names of roles. Those of an instance profile that does not exist are none: the check of the node class finds it. */
async function rolesOf(
  { clients }: ClusterQuestion,
  { spec: { role, instanceProfile = '' } }: EC2NodeClass,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (role !== undefined) return [roleName(role)];
  try {
    const { InstanceProfile } = await clients.call(
      'GetInstanceProfile',
      (client, options) =>
        client.send(new GetInstanceProfileCommand({ InstanceProfileName: instanceProfile }), options),
      { signal, subject: instanceProfile },
    );
    return (InstanceProfile?.Roles ?? []).flatMap(({ RoleName }) => RoleName ?? []);
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

async function accessEntries(
  { clients, cluster: { name: clusterName } }: ClusterQuestion,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const pages = await allPages({
    operation: 'eks:ListAccessEntries',
    fetch: (nextToken) =>
      clients.call(
        'ListAccessEntries',
        (client, options) => client.send(new ListAccessEntriesCommand({ clusterName, nextToken }), options),
        { signal, subject: clusterName },
      ),
    next: ({ nextToken }) => nextToken,
  });
  return pages.flatMap(({ accessEntries: found = [] }) => found);
}

async function entryType(
  { clients, cluster: { name: clusterName } }: ClusterQuestion,
  principalArn: string,
  signal: AbortSignal,
): Promise<string> {
  const { accessEntry } = await clients.call(
    'DescribeAccessEntry',
    (client, options) => client.send(new DescribeAccessEntryCommand({ clusterName, principalArn }), options),
    { signal, subject: principalArn },
  );
  return accessEntry?.type ?? 'unknown';
}

interface MappedRole {
  readonly rolearn: string;
  readonly groups: readonly unknown[];
}

/** Of the ConfigMap aws-auth; what cannot be read maps nothing, as for EKS. */
async function mappedRoles({ subject }: ClusterQuestion): Promise<readonly MappedRole[]> {
  const text = (await subject.configMap('kube-system', 'aws-auth'))?.['mapRoles'];
  return typeof text === 'string' ? listIn(text).flatMap(mappedRole) : [];
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = parse(text, { logLevel: 'silent', maxAliasCount: 0 });
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function mappedRole(item: unknown): readonly MappedRole[] {
  const { rolearn, groups } = (item ?? {}) as { readonly rolearn?: unknown; readonly groups?: unknown };
  return typeof rolearn === 'string' ? [{ rolearn, groups: Array.isArray(groups) ? groups : [] }] : [];
}

/** Of an ARN, with a path or without, or of a name. */
function roleName(arnOrName: string): string {
  return arnOrName.replace(/^.*\//, '');
}
