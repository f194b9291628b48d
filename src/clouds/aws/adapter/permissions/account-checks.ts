/** What `berth doctor` looks at in an account: whether the credentials are valid there, the cluster and the interruption queue. */
import { DescribeClusterCommand } from '@aws-sdk/client-eks';
import { GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { failed, ok, warning, type CheckFinding } from '../../../../domain/records/check-finding.js';
import type { Check } from '../../../../ports/check.js';
import { hasCode } from '../../../../ports/port-error.js';
import type { AwsClients } from '../client/aws-clients.js';

export interface AccountChecksOptions {
  readonly clients: Pick<AwsClients, 'call'>;
  readonly clusterName: string;
  readonly region: string;
  /** Name or URL; undefined: none. */
  readonly queue: string | undefined;
}

const GRANT = 'Grant it to the role of Berth (docs/aws.md, Permissions)';
const CREDENTIALS =
  'Give Berth a role: EKS Pod Identity or IRSA (docs/install.md, Credentials); on your computer, log in to the account';

export function accountChecks(options: AccountChecksOptions): readonly Check<void>[] {
  return [
    { name: 'cluster', look: (_subject, signal) => cluster(options, signal) },
    { name: 'interruption-queue', look: (_subject, signal) => queue(options, signal) },
  ];
}

async function cluster(
  { clients, clusterName: name, region }: AccountChecksOptions,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  try {
    const { cluster: found = {} } = await clients.call(
      'DescribeCluster',
      (client, options) => client.send(new DescribeClusterCommand({ name }), options),
      { signal, subject: name },
    );
    const { status = 'unknown', version = '', accessConfig } = found;
    const mode = accessConfig?.authenticationMode ?? '';
    const evidence = `EKS cluster ${name} in ${region}: ${status}, Kubernetes ${version}, authentication mode ${mode}`;
    if (status !== 'ACTIVE') return [warning(evidence, 'Wait until the cluster is ACTIVE')];
    if (mode === 'CONFIG_MAP')
      return [
        warning(
          `${evidence}: access entries have no effect`,
          'Map the node role in the ConfigMap aws-auth (docs/aws.md, The account), or change the mode to API_AND_CONFIG_MAP',
        ),
      ];
    return [ok(evidence)];
  } catch (error) {
    const mend = `Correct CLUSTER_NAME or AWS_REGION; for a cluster that is not of EKS, set --cluster-endpoint and the flags beside it`;
    return [refused(error, `EKS has no cluster ${name} in ${region}`, mend)];
  }
}

async function queue(
  { clients, queue: name, region }: AccountChecksOptions,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  if (name === undefined) return [];
  const QueueName = name.replace(/^.*\//, '');
  try {
    const { QueueUrl } = await clients.call(
      'GetQueueUrl',
      (client, options) => client.send(new GetQueueUrlCommand({ QueueName }), options),
      { signal, subject: QueueName },
    );
    return [ok(`the interruption queue is ${QueueUrl ?? QueueName}`)];
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
