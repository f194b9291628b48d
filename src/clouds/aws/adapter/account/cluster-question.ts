/** What the checks of an account are given that are about the cluster. */
import type { Cluster } from '@aws-sdk/client-eks';
import type { AccountSubject } from '../../../../ports/account-check.js';
import type { AwsClients } from '../client/aws-clients.js';

export interface ClusterQuestion {
  readonly clients: Pick<AwsClients, 'call'>;
  /** As EKS describes it. */
  readonly cluster: Cluster;
  readonly subject: AccountSubject;
}
