/** Every AWS call that Berth makes: whose it is, which limit it counts against, and whether it may be made twice. */
import type { BucketName } from './buckets.js';

/** Services by the prefix of their IAM actions. */
export type ServiceName =
  'arc-zonal-shift' | 'ec2' | 'eks' | 'events' | 'iam' | 'pricing' | 'sqs' | 'ssm' | 'sts';

export interface Operation {
  readonly service: ServiceName;
  readonly bucket: BucketName;
  /**
   * Whether it may be sent again when its outcome is unknown. Where it is false a ClientToken that is sent again,
   * too, makes up for it.
   */
  readonly repeatable: boolean;
}

const describe = { service: 'ec2', bucket: 'ec2-describe', repeatable: true } as const;
const create = { service: 'ec2', bucket: 'ec2-mutate', repeatable: false } as const;
const readIam = { service: 'iam', bucket: 'iam', repeatable: true } as const;
const createIam = { service: 'iam', bucket: 'iam', repeatable: false } as const;
const queue = { service: 'sqs', bucket: 'sqs', repeatable: true } as const;

/** By the operation's name in AWS' API; with the service before it, an IAM action: `ec2:CreateFleet`. */
export const OPERATIONS = {
  DescribeSubnets: describe,
  DescribeSecurityGroups: describe,
  DescribeImages: describe,
  DescribeInstanceTypes: describe,
  DescribeInstanceTypeOfferings: describe,
  DescribeSpotPriceHistory: describe,
  DescribeInstances: describe,
  DescribeInstanceStatus: describe,
  DescribeLaunchTemplates: describe,
  DescribeCapacityReservations: describe,
  DescribePlacementGroups: describe,
  CreateLaunchTemplate: create,
  DeleteLaunchTemplate: { ...create, repeatable: true },
  CreateFleet: create,
  RunInstances: { service: 'ec2', bucket: 'ec2-run', repeatable: false },
  TerminateInstances: { service: 'ec2', bucket: 'ec2-terminate', repeatable: true },
  RebootInstances: create,
  /** Only `berth adopt` and `berth release` call it, with the operator's credentials: the controller's role may not. */
  DeleteTags: { service: 'ec2', bucket: 'ec2-tag', repeatable: true },
  CreateTags: { service: 'ec2', bucket: 'ec2-tag', repeatable: true },
  GetParameters: { service: 'ssm', bucket: 'ssm', repeatable: true },
  GetProducts: { service: 'pricing', bucket: 'pricing', repeatable: true },
  DescribeCluster: { service: 'eks', bucket: 'eks', repeatable: true },
  GetManagedResource: { service: 'arc-zonal-shift', bucket: 'arc-zonal-shift', repeatable: true },
  /** Only `berth doctor` makes the next four calls, usually with the operator's credentials: the controller's role may not. */
  ListAccessEntries: { service: 'eks', bucket: 'eks', repeatable: true },
  DescribeAccessEntry: { service: 'eks', bucket: 'eks', repeatable: true },
  ListRuleNamesByTarget: { service: 'events', bucket: 'events', repeatable: true },
  DescribeRule: { service: 'events', bucket: 'events', repeatable: true },
  /** Only `berth doctor` calls it; it needs no permission. */
  GetCallerIdentity: { service: 'sts', bucket: 'sts', repeatable: true },
  GetInstanceProfile: readIam,
  ListInstanceProfiles: readIam,
  CreateInstanceProfile: createIam,
  AddRoleToInstanceProfile: createIam,
  RemoveRoleFromInstanceProfile: createIam,
  DeleteInstanceProfile: { ...createIam, repeatable: true },
  GetQueueUrl: queue,
  ReceiveMessage: queue,
  DeleteMessageBatch: queue,
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof OPERATIONS;

/**
 * Whether the call leaves everything as it is, for other programs of the account, too: a message that is received is hidden from
 * them.
 */
export function isRead(name: OperationName): boolean {
  return /^(?:Describe|Get|List)/.test(name);
}

/** Whether the call changes something in the account, unless it is a dry run. */
export function isChange(name: OperationName): boolean {
  return !/^(?:Describe|Get|List|Receive)/.test(name);
}
