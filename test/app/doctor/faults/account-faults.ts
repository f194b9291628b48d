/** Faults of the AWS account, and of what goes between it and the cluster. */
import { stableID } from '../../../../world/aws/model/stable-hash.js';
import type { ExaminedCluster } from '../examined-cluster.js';
import { deployment, planted, replaced } from './planting.js';

const ROLE_ARN = 'arn:aws:iam::000000000000:role/berth-node';

/** Without its access entry, the role is mapped like this in aws-auth. */
async function mapRole(cluster: ExaminedCluster, groups: readonly string[]): Promise<void> {
  cluster.aws.accessEntries.set(ROLE_ARN, undefined);
  const mapRoles = JSON.stringify([
    { rolearn: ROLE_ARN, username: 'system:node:{{EC2PrivateDNSName}}', groups },
  ]);
  await cluster.create('configmaps', {
    metadata: { namespace: 'kube-system', name: 'aws-auth' },
    data: { mapRoles },
  });
}

export const ACCOUNT_FAULTS = planted([
  {
    fault: 'the credentials are not valid any more',
    plant: (cluster) => {
      const fault = { kind: 'error', code: 'ExpiredToken', status: 403 } as const;
      cluster.aws.faults.add({ action: 'sts:GetCallerIdentity', fault });
    },
    check: 'account',
    result: 'failed',
    evidence: /^sts:GetCallerIdentity: .*ExpiredToken/,
    mend: /Pod Identity or IRSA/,
  },
  {
    fault: 'the account has no cluster of this name',
    plant: deployment('berth', replaced('"value":"berth-demo"', '"value":"shopp"')),
    check: 'account',
    result: 'failed',
    evidence: /EKS has no cluster shopp in eu-west-3/,
    mend: /CLUSTER_NAME/,
    also: ['node-classes'],
  },
  {
    fault: 'the interruption queue does not exist',
    plant: deployment('berth', replaced('"value":"berth-shop"', '"value":"other"')),
    check: 'account',
    result: 'failed',
    evidence: /no queue other in eu-west-3/,
    mend: /INTERRUPTION_QUEUE/,
  },
  {
    fault: 'the queue may not be seen',
    plant: (cluster) => {
      cluster.aws.deny('sqs:GetQueueUrl');
    },
    check: 'account',
    result: 'failed',
    evidence: /sqs:GetQueueUrl/,
    mend: /Grant it/,
  },
  {
    fault: 'instances may not be launched',
    plant: (cluster) => {
      cluster.aws.deny('ec2:DescribeSubnets');
    },
    check: 'node-classes',
    result: 'failed',
    evidence: /ec2:DescribeSubnets/,
    mend: /grant the permission/,
  },
  {
    fault: 'the role of the nodes has no access entry',
    plant: (cluster) => {
      cluster.aws.accessEntries.set(ROLE_ARN, undefined);
    },
    check: 'account',
    result: 'failed',
    evidence:
      /the role berth-node of EC2NodeClass.default has neither an access entry nor a mapping in aws-auth/,
    mend: /access entry of the type EC2_LINUX/,
  },
  {
    fault: 'the access entry of the nodes is one for people',
    plant: (cluster) => {
      cluster.aws.accessEntries.set(ROLE_ARN, 'STANDARD');
    },
    check: 'account',
    result: 'failed',
    evidence: /has the type STANDARD: its nodes cannot join/,
    mend: /create one of the type EC2_LINUX/,
  },
  {
    fault: 'aws-auth maps the role of the nodes without the groups of nodes',
    plant: (cluster) => mapRole(cluster, ['system:masters']),
    check: 'account',
    result: 'failed',
    evidence: /maps the role berth-node .* without system:bootstrappers and system:nodes/,
    mend: /Add the groups/,
  },
  {
    fault: 'no rule sends the warnings of spot instances to the queue',
    plant: (cluster) => {
      cluster.aws.eventRules.remove('spot-interruption');
    },
    check: 'account',
    result: 'failed',
    evidence: /no rule sends the event "EC2 Spot Instance Interruption Warning" of aws\.ec2/,
    mend: /Event rules/,
  },
  {
    fault: 'the rule of the warnings is disabled',
    plant: (cluster) => {
      cluster.aws.eventRules.enable('spot-interruption', false);
    },
    check: 'account',
    result: 'failed',
    evidence: /the rule spot-interruption, .* is disabled/,
    mend: /enable-rule --name spot-interruption/,
  },
  {
    fault: 'no rule sends the events of AWS Health to the queue',
    plant: (cluster) => {
      cluster.aws.eventRules.remove('scheduled-change');
    },
    check: 'account',
    result: 'warning',
    evidence: /"AWS Health Event" of aws\.health/,
    mend: /Event rules/,
  },
  {
    fault: 'the rules may not be seen',
    plant: (cluster) => {
      cluster.aws.deny('events:*');
    },
    check: 'account',
    result: 'skipped',
    evidence: /whether events go to the queue was not seen: .*events:ListRuleNamesByTarget/,
    mend: /Berth itself does not need them/,
  },
  {
    fault: 'the security groups keep the control plane from the webhook',
    plant: (cluster) => {
      const group = stableID('sg', 'berth-demo');
      cluster.aws.setIngress(group, [{ protocol: 'tcp', port: 10_250, from: group }]);
    },
    check: 'account',
    result: 'failed',
    evidence: /no security group of the node system-a \(sg-\w+\) lets the control plane .* on TCP 9443/,
    mend: /Add an inbound rule to one of them: TCP 9443 from sg-/,
  },
]);

/** What is no fault: the role joins by the other of the two ways. */
export function joinByConfigMap(cluster: ExaminedCluster): Promise<void> {
  return mapRole(cluster, ['system:bootstrappers', 'system:nodes']);
}
