/** What `berth doctor` looks at in an account: whose the credentials are, the cluster, and what goes from the account to it. */
import { DescribeClusterCommand, type Cluster } from '@aws-sdk/client-eks';
import { GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { failed, ok, warning, type CheckFinding } from '../../../../domain/records/check-finding.js';
import { hasCode } from '../../../../ports/port-error.js';
import type { AccountCheck } from '../../../../ports/account-check.js';
import type { AwsClients } from '../client/aws-clients.js';
import { eventRules } from './event-rules.js';
import { nodeAccess } from './node-access.js';
import { webhookAccess } from './webhook-access.js';
import type { ClusterQuestion } from './cluster-question.js';

export interface AccountChecksOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly clusterName: string;
  /** The API server's, where it is given: the cluster may be one that is not of EKS. */
  readonly clusterEndpoint: string | undefined;
  readonly region: string;
  /** Name or URL; undefined: none. */
  readonly queue: string | undefined;
}

const GRANT = 'Grant it to the role of Berth (docs/aws.md, Permissions)';
const CREDENTIALS =
  'Give Berth a role: EKS Pod Identity or IRSA (docs/install.md, Credentials); on your computer, log in to the account';

export function accountChecks(options: AccountChecksOptions): readonly AccountCheck[] {
  return [
    { name: 'identity', isGate: true, look: (_subject, signal) => identity(options, signal) },
    { name: 'cluster', look: (_subject, signal) => cluster(options, signal) },
    ofCluster('node-access', options, nodeAccess),
    ofCluster('webhook-access', options, webhookAccess),
    { name: 'interruption-queue', look: (_subject, signal) => queue(options, signal) },
  ];
}

/** A check of what EKS says of the cluster; where it says nothing, the check of the cluster has the reason. */
function ofCluster(
  name: string,
  options: AccountChecksOptions,
  look: (question: ClusterQuestion, signal: AbortSignal) => Promise<readonly CheckFinding[]>,
): AccountCheck {
  return {
    name,
    look: async (subject, signal) => {
      const found = await described(options, signal).catch((error: unknown) => {
        if (hasCode(error, 'NotFound', 'Forbidden')) return undefined;
        throw error;
      });
      return found === undefined ? [] : look({ clients: options.clients, cluster: found, subject }, signal);
    },
  };
}

/** Needs no permission: what fails here are the credentials. */
async function identity(
  { clients, region }: AccountChecksOptions,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  try {
    const answer = await clients.call(
      'GetCallerIdentity',
      (sts, options) =>
        sts.send(
          {
            contentType: 'application/x-www-form-urlencoded',
            body: 'Action=GetCallerIdentity&Version=2011-06-15',
          },
          options,
        ),
      { signal },
    );
    const arn = /<Arn>([^<]+)<\/Arn>/.exec(answer)?.[1] ?? 'an unknown principal';
    if (arn.endsWith(':root'))
      return [warning(`the credentials are those of the account's root user, ${arn}`, 'Use a role instead')];
    return [ok(`the credentials are those of ${arn}, in ${region}`)];
  } catch (error) {
    if (!hasCode(error, 'Unauthorized', 'Forbidden')) throw error;
    return [failed(error.message, CREDENTIALS)];
  }
}

async function cluster(options: AccountChecksOptions, signal: AbortSignal): Promise<readonly CheckFinding[]> {
  const { clusterName: name, clusterEndpoint, region } = options;
  try {
    const found = await described(options, signal);
    const { status = 'unknown', version = '', accessConfig } = found;
    const mode = accessConfig?.authenticationMode ?? '';
    const evidence = `EKS cluster ${name} in ${region}: ${status}, Kubernetes ${version}, authentication mode ${mode}`;
    if (status !== 'ACTIVE') return [warning(evidence, 'Wait until the cluster is ACTIVE')];
    return [ok(evidence)];
  } catch (error) {
    if (clusterEndpoint !== undefined && hasCode(error, 'NotFound'))
      return [ok(`${name} is not a cluster of EKS in ${region}: its endpoint is given`)];
    const mend = `Correct CLUSTER_NAME or AWS_REGION; for a cluster that is not of EKS, set --cluster-endpoint and the flags beside it`;
    return [refused(error, `EKS has no cluster ${name} in ${region}`, mend)];
  }
}

async function described(
  { clients, clusterName: name }: AccountChecksOptions,
  signal: AbortSignal,
): Promise<Cluster> {
  const { cluster: found = {} } = await clients.call(
    'DescribeCluster',
    (client, options) => client.send(new DescribeClusterCommand({ name }), options),
    { signal, subject: name },
  );
  return found;
}

async function queue(
  { clients, queue: name, region }: AccountChecksOptions,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  if (name === undefined) return [];
  const QueueName = name.replace(/^.*\//, '');
  try {
    const { QueueUrl = QueueName } = await clients.call(
      'GetQueueUrl',
      (client, options) => client.send(new GetQueueUrlCommand({ QueueName }), options),
      { signal, subject: QueueName },
    );
    const rules = await eventRules({ clients, region, queueUrl: QueueUrl }, signal);
    return [ok(`the interruption queue is ${QueueUrl}`), ...rules];
  } catch (error) {
    const mend = 'Create it with its event rules (docs/aws.md, The account), or correct INTERRUPTION_QUEUE';
    return [refused(error, `there is no queue ${QueueName} in ${region}`, mend)];
  }
}

/** @throws what is neither a lack of the thing nor of the right to see it. */
function refused(error: unknown, missing: string, mend: string): CheckFinding {
  if (hasCode(error, 'NotFound')) return failed(missing, mend);
  if (hasCode(error, 'Forbidden')) return failed(error.message, GRANT);
  if (hasCode(error, 'Unauthorized')) return failed(error.message, CREDENTIALS);
  throw error;
}
