/** Instances of EC2 that change hands between Karpenter and Berth. */
import { CreateTagsCommand, DeleteTagsCommand } from '@aws-sdk/client-ec2';
import { instanceID } from '../../../../domain/nodes/node-claim.js';
import type { InstanceHandover } from '../../../../ports/instance-handover.js';
import type { AwsClients } from '../client/aws-clients.js';
import { ec2Tags } from '../launch/ec2-tags.js';
import { instancesOfIDs } from './list-instances.js';

const NODEPOOL = 'karpenter.sh/nodepool';
const NODECLAIM = 'karpenter.sh/nodeclaim';
const NODECLASS = 'karpenter.k8s.aws/ec2nodeclass';
const CLUSTER = 'eks:eks-cluster-name';

/** Karpenter lists instances that have the tags of its NodePool, its node class and its cluster, and terminates those without a NodeClaim. */
export function ec2Handover(clients: Pick<AwsClients, 'call'>, clusterName: string): InstanceHandover {
  return {
    karpenterTagKeys: [NODEPOOL, NODECLAIM, NODECLASS, CLUSTER],
    karpenterTags: ({ nodePool, nodeClaim, nodeClass }) =>
      new Map([
        [NODEPOOL, nodePool],
        [NODECLAIM, nodeClaim],
        [NODECLASS, nodeClass],
        [CLUSTER, clusterName],
      ]),
    instances: (providerIDs, signal) => instancesOfIDs(clients, providerIDs.map(instanceID), signal),
    addTags: async (id, tags, signal) => {
      const input = { Resources: [id], Tags: ec2Tags(tags) };
      await clients.call(
        'CreateTags',
        (client, options) => client.send(new CreateTagsCommand(input), options),
        { signal, subject: id },
      );
    },
    removeTags: async (id, keys, signal) => {
      const input = { Resources: [id], Tags: keys.map((Key) => ({ Key })) };
      await clients.call(
        'DeleteTags',
        (client, options) => client.send(new DeleteTagsCommand(input), options),
        { signal, subject: id },
      );
    },
  };
}
