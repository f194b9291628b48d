/** What a cluster with Berth needs in an AWS account beside the controller's permissions. */

/** Policies of AWS that nodes need (EKS user guide, "Amazon EKS node IAM role"; the last one is for a shell without SSH). */
export const NODE_POLICIES = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
  'AmazonSSMManagedInstanceCore',
] as const;

export interface EventRule {
  /** A CloudFormation resource's name, and in snake case a Terraform resource's. */
  readonly name: string;
  readonly source: string;
  readonly detailType: string;
}

/** Events that the interruption controller reads (Amazon EC2 user guide, "EventBridge events"; AWS Health user guide). */
export const EVENT_RULES: readonly EventRule[] = [
  { name: 'ScheduledChange', source: 'aws.health', detailType: 'AWS Health Event' },
  { name: 'SpotInterruption', source: 'aws.ec2', detailType: 'EC2 Spot Instance Interruption Warning' },
  { name: 'Rebalance', source: 'aws.ec2', detailType: 'EC2 Instance Rebalance Recommendation' },
  { name: 'InstanceStateChange', source: 'aws.ec2', detailType: 'EC2 Instance State-change Notification' },
  {
    name: 'CapacityReservationInterruption',
    source: 'aws.ec2',
    detailType: 'EC2 Capacity Reservation Instance Interruption Warning',
  },
];

/** Seconds that a message stays in the queue: an interruption is over after two minutes. */
export const QUEUE_RETENTION_SECONDS = 300;

/** Names that the files give to resources, by the cluster's name. */
export function resourceNames(cluster: string): {
  readonly controllerRole: string;
  readonly nodeRole: string;
  readonly queue: string;
} {
  return {
    controllerRole: `BerthController-${cluster}`,
    nodeRole: `BerthNodeRole-${cluster}`,
    queue: `berth-${cluster}`,
  };
}

/** The most characters of a cluster's name for which a role can be named after it (IAM user guide, "IAM and AWS STS quotas": 64). */
export const LONGEST_CLUSTER_NAME = 64 - 'BerthController-'.length;

/** Where a cluster without a way to the Internet has to reach AWS (EKS user guide, "Deploy private clusters"). */
export const VPC_ENDPOINTS = [
  ['ec2', 'interface', 'instances, types, images, network'],
  ['sqs', 'interface', 'interruptions'],
  ['ssm', 'interface', 'image aliases'],
  ['eks', 'interface', 'cluster configuration'],
  ['eks-auth', 'interface', 'credentials by EKS Pod Identity'],
  ['sts', 'interface', 'credentials by a service account with a role (IRSA)'],
  ['ecr.api', 'interface', 'images of containers'],
  ['ecr.dkr', 'interface', 'images of containers'],
  ['s3', 'gateway', 'layers of images of containers'],
] as const;
