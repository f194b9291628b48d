/**
 * What Berth may do in an AWS account: one list of IAM statements, which docs/iam-policy.json, the CloudFormation template and
 * the Terraform module all have (`make generate`). A test runs the whole life of a node under it.
 */

/** What differs between accounts, as the text of each file writes it: `REGION`, `${AWS::Region}`, `${region}`. */
export interface AccountNames {
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  /** The account's ID. */
  readonly account: string;
  /** The EKS cluster's name. */
  readonly cluster: string;
  /** The ARN of the nodes' role. */
  readonly nodeRoleArn: string;
  /** The ARN of the queue with EC2's events. */
  readonly queueArn: string;
}

/** One statement of an IAM policy of version 2012-10-17. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** A policy that is attached to the controller's role. IAM allows at most 6,144 characters in each, without whitespace. */
export interface ControllerPolicy {
  /** The end of its name, in a CloudFormation resource and in IAM. */
  readonly name: string;
  /** What it is for, as a table says it. */
  readonly about: string;
  readonly statements: readonly Statement[];
}

export function controllerPolicies(names: AccountNames): readonly ControllerPolicy[] {
  return [
    {
      name: 'Discovery',
      about: 'read instance types, prices, images, the network and the cluster',
      statements: discovery(names),
    },
    {
      name: 'NodeLifecycle',
      about: 'launch, tag, reboot and terminate instances of the cluster',
      statements: lifecycle(names),
    },
    {
      name: 'InstanceProfiles',
      about: 'pass the role of the nodes to EC2, and keep instance profiles for it',
      statements: instanceProfiles(names),
    },
    {
      name: 'Interruption',
      about: 'receive the events of EC2',
      statements: [
        allow(
          'ReadTheInterruptionQueue',
          ['sqs:DeleteMessage', 'sqs:GetQueueUrl', 'sqs:ReceiveMessage'],
          names.queueArn,
        ),
      ],
    },
  ];
}

function discovery({ partition, region, account, cluster }: AccountNames): readonly Statement[] {
  return [
    allow(
      'ReadWhatThereIs',
      [
        'ec2:DescribeCapacityReservations',
        'ec2:DescribeImages',
        'ec2:DescribeInstanceStatus',
        'ec2:DescribeInstanceTypeOfferings',
        'ec2:DescribeInstanceTypes',
        'ec2:DescribeInstances',
        'ec2:DescribeLaunchTemplates',
        'ec2:DescribePlacementGroups',
        'ec2:DescribeSecurityGroups',
        'ec2:DescribeSpotPriceHistory',
        'ec2:DescribeSubnets',
      ],
      '*',
      { StringEquals: { 'aws:RequestedRegion': region } },
    ),
    allow('ReadPrices', 'pricing:GetProducts', '*'),
    allow(
      'ReadPublicImageParameters',
      'ssm:GetParameters',
      `arn:${partition}:ssm:${region}::parameter/aws/service/*`,
    ),
    allow(
      'ReadTheCluster',
      'eks:DescribeCluster',
      `arn:${partition}:eks:${region}:${account}:cluster/${cluster}`,
    ),
    allow(
      'ReadZonalShiftsOfTheCluster',
      'arc-zonal-shift:GetManagedResource',
      `arn:${partition}:eks:${region}:${account}:cluster/${cluster}`,
    ),
  ];
}

/** Resources of one launch that are created by it, and carry the cluster's tag. */
const CREATED = [
  'fleet',
  'instance',
  'launch-template',
  'network-interface',
  'spot-instances-request',
  'volume',
];

function lifecycle({ partition, region, account, cluster }: AccountNames): readonly Statement[] {
  const ec2 = (owner: string) => (kind: string) => `arn:${partition}:ec2:${region}:${owner}:${kind}/*`;
  const ours = ec2(account);
  const isRequested = { [`aws:RequestTag/kubernetes.io/cluster/${cluster}`]: 'owned' };
  const isTagged = { [`aws:ResourceTag/kubernetes.io/cluster/${cluster}`]: 'owned' };
  return [
    allow(
      'LaunchFromImagesIntoSubnets',
      ['ec2:CreateFleet', 'ec2:RunInstances'],
      [
        ...['image', 'snapshot'].map(ec2('')),
        // Only used: they may be another account's, which shares them.
        ...['capacity-reservation', 'placement-group', 'security-group', 'subnet'].map(ec2('*')),
      ],
    ),
    allow(
      'LaunchFromLaunchTemplatesOfTheCluster',
      ['ec2:CreateFleet', 'ec2:RunInstances'],
      ours('launch-template'),
      { StringEquals: isTagged },
    ),
    allow(
      'CreateWithTheTagOfTheCluster',
      ['ec2:CreateFleet', 'ec2:CreateLaunchTemplate', 'ec2:RunInstances'],
      CREATED.map(ours),
      { StringEquals: isRequested },
    ),
    allow('TagWhatIsCreated', 'ec2:CreateTags', CREATED.map(ours), {
      StringEquals: {
        ...isRequested,
        'ec2:CreateAction': ['CreateFleet', 'CreateLaunchTemplate', 'RunInstances'],
      },
    }),
    allow('NameInstancesOfTheCluster', 'ec2:CreateTags', ours('instance'), {
      StringEquals: isTagged,
      'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', 'berth.sh/cluster', 'berth.sh/nodeclaim'] },
    }),
    allow('RebootInstancesOfTheCluster', 'ec2:RebootInstances', ours('instance'), { StringEquals: isTagged }),
    allow(
      'EndWhatBelongsToTheCluster',
      ['ec2:DeleteLaunchTemplate', 'ec2:TerminateInstances'],
      ['instance', 'launch-template'].map(ours),
      { StringEquals: isTagged },
    ),
  ];
}

function instanceProfiles({ partition, account, cluster, nodeRoleArn }: AccountNames): readonly Statement[] {
  const profiles = `arn:${partition}:iam::${account}:instance-profile`;
  return [
    allow('PassTheNodeRole', 'iam:PassRole', nodeRoleArn, {
      StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] },
    }),
    allow('ReadInstanceProfiles', ['iam:GetInstanceProfile', 'iam:ListInstanceProfiles'], `${profiles}/*`),
    allow(
      'CreateInstanceProfilesOfTheCluster',
      ['iam:CreateInstanceProfile', 'iam:TagInstanceProfile'],
      `${profiles}/berth-*`,
      { StringEquals: { [`aws:RequestTag/kubernetes.io/cluster/${cluster}`]: 'owned' } },
    ),
    allow(
      'ChangeInstanceProfilesOfTheCluster',
      ['iam:AddRoleToInstanceProfile', 'iam:DeleteInstanceProfile', 'iam:RemoveRoleFromInstanceProfile'],
      `${profiles}/berth-*`,
      { StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${cluster}`]: 'owned' } },
    ),
  ];
}

/** For disks that are encrypted with a key of one's own: EC2 uses the key for the instance, by a grant (KMS developer guide). */
export function keyPolicy(keyArn: string): ControllerPolicy {
  return {
    name: 'VolumeKey',
    about: 'use a KMS key of your own for disks',
    statements: [
      allow(
        'UseTheKeyOfDisks',
        ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKeyWithoutPlaintext'],
        keyArn,
      ),
      allow('GrantTheKeyOfDisksToEc2', 'kms:CreateGrant', keyArn, {
        Bool: { 'kms:GrantIsForAWSResource': 'true' },
      }),
    ],
  };
}

/** A policy document with these statements. */
export function policyDocument(statements: readonly Statement[]): {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
} {
  return { Version: '2012-10-17', Statement: statements };
}

function allow(
  Sid: string,
  Action: Statement['Action'],
  Resource: Statement['Resource'],
  Condition?: Statement['Condition'],
): Statement {
  return { Sid, Effect: 'Allow', Action, Resource, ...(Condition && { Condition }) };
}
