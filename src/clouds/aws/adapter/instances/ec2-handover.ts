/** Instances of EC2 that change hands between Karpenter and Berth. */
import { CreateTagsCommand, DeleteTagsCommand } from '@aws-sdk/client-ec2';
import { instanceID } from '../../../../domain/nodes/node-claim.js';
import type { CloudInstance } from '../../../../ports/cloud.js';
import type { InstanceHandover } from '../../../../ports/instance-handover.js';
import type { AwsClients } from '../client/aws-clients.js';
import { ec2Tags } from '../client/ec2-tags.js';
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
    manager,
    instances: (providerIDs, signal) => instancesOfIDs(clients, { ids: providerIDs.map(instanceID) }, signal),
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

const MANAGED_GROUP = 'eks:nodegroup-name';
const AUTO_SCALING_GROUP = 'aws:autoscaling:groupName';

/** EC2 Auto Scaling replaces an instance that it misses; EKS does not support taking one out of a managed node group. */
function manager(instance: CloudInstance | undefined): string | undefined {
  const managed = instance?.tags.get(MANAGED_GROUP);
  if (managed !== undefined)
    return `EKS manages its instance in the node group ${managed}, which cannot give it away; scale the node group down instead, and Berth launches nodes for its pods`;
  const group = instance?.tags.get(AUTO_SCALING_GROUP);
  if (instance === undefined || group === undefined) return undefined;
  return `its instance belongs to the Auto Scaling group ${group}, which would replace it; take it out first: aws autoscaling detach-instances --auto-scaling-group-name ${group} --instance-ids ${instance.id} --should-decrement-desired-capacity`;
}
