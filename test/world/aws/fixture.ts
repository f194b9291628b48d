/** A simulator with real SDK clients on it, and short ways to what tests ask most. */
import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  EC2Client,
  type CreateFleetCommandInput,
  type CreateFleetCommandOutput,
  type FleetLaunchTemplateOverridesRequest,
  type Instance,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { PricingClient } from '@aws-sdk/client-pricing';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { EKSClient } from '@aws-sdk/client-eks';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { Catalogue } from '../../../src/clouds/aws/catalogue/catalogue.js';
import { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import type { AwsSimulatorOptions } from '../../../world/aws/aws-simulator-options.js';
import { inProcessConfig } from '../../support/in-process-aws.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { seededRandom } from '../../../world/seeded-random.js';

export const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;

const all = catalogueFor('eu-west-3');
const FEW = [
  't3.small',
  'm5.large',
  'm5.xlarge',
  'c5.large',
  'm6g.large',
  'g5.xlarge',
  'm5.metal',
  'inf2.xlarge',
];

/** A handful of types: enough for every rule, and quick. */
export const fewTypes = new Catalogue({
  region: 'eu-west-3',
  entries: all.entries.filter(({ facts }) => FEW.includes(facts.name)),
});

export interface Fixture {
  readonly clock: VirtualClock;
  readonly aws: AwsSimulator;
  readonly ec2: EC2Client;
  readonly sqs: SQSClient;
  readonly ssm: SSMClient;
  readonly pricing: PricingClient;
  readonly iam: IAMClient;
  readonly eks: EKSClient;
}

export function fixture(options: Partial<AwsSimulatorOptions> = {}): Fixture {
  const clock = new VirtualClock();
  const aws = new AwsSimulator({
    clock,
    random: seededRandom(7),
    catalogue: fewTypes,
    spotPriceMovement: 0,
    ...options,
  });
  const config = inProcessConfig(aws.handle);
  return {
    clock,
    aws,
    ec2: new EC2Client(config),
    sqs: new SQSClient(config),
    ssm: new SSMClient(config),
    pricing: new PricingClient(config),
    iam: new IAMClient(config),
    eks: new EKSClient(config),
  };
}

/** The discoverable subnets, by zone. */
export async function subnetsOf({ ec2 }: Fixture): Promise<ReadonlyMap<string, string>> {
  const answer = await ec2.send(
    new DescribeSubnetsCommand({ Filters: [{ Name: 'tag:karpenter.sh/discovery', Values: ['*'] }] }),
  );
  return new Map(
    (answer.Subnets ?? []).map((subnet) => [subnet.AvailabilityZone ?? '', subnet.SubnetId ?? '']),
  );
}

/** A launch template called `nodes` for instances of amd64. */
export async function createTemplate(
  on: Fixture,
  userData = 'hello',
  more: RequestLaunchTemplateData = {},
): Promise<void> {
  const image = on.aws.publishOwnImage({ name: `for the template ${userData}` });
  await on.ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'nodes',
      LaunchTemplateData: { ImageId: image.id, UserData: Buffer.from(userData).toString('base64'), ...more },
    }),
  );
}

export interface FleetAsk {
  readonly size?: number;
  readonly spot?: boolean;
  readonly token?: string;
  readonly strategy?: string;
  readonly more?: Partial<CreateFleetCommandInput>;
}

/** CreateFleet from the template `nodes`. */
export function createFleet(
  { ec2 }: Fixture,
  overrides: readonly FleetLaunchTemplateOverridesRequest[],
  { size = 1, spot = false, token, strategy, more = {} }: FleetAsk = {},
): Promise<CreateFleetCommandOutput> {
  const options = strategy === undefined ? {} : { AllocationStrategy: strategy };
  const input = {
    Type: 'instant',
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'nodes', Version: '$Latest' },
        Overrides: [...overrides],
      },
    ],
    TargetCapacitySpecification: {
      TotalTargetCapacity: size,
      DefaultTargetCapacityType: spot ? 'spot' : 'on-demand',
    },
    ...(spot ? { SpotOptions: options } : { OnDemandOptions: options }),
    ...(token === undefined ? {} : { ClientToken: token }),
    ...more,
  } as CreateFleetCommandInput;
  return ec2.send(new CreateFleetCommand(input));
}

/** A simulator with the template `nodes`, and its subnets by zone. */
export async function readyToLaunch(
  options: Partial<AwsSimulatorOptions> = {},
  template: RequestLaunchTemplateData = {},
): Promise<Fixture & { readonly subnets: ReadonlyMap<string, string> }> {
  const on = fixture(options);
  await createTemplate(on, undefined, template);
  return { ...on, subnets: await subnetsOf(on) };
}

export function idsOf(answer: CreateFleetCommandOutput): readonly string[] {
  return (answer.Instances ?? []).flatMap(({ InstanceIds }) => InstanceIds ?? []);
}

/** What EC2 tells of these instances, or of all. */
export async function describeAll({ ec2 }: Fixture, ids?: readonly string[]): Promise<readonly Instance[]> {
  const answer = await ec2.send(
    new DescribeInstancesCommand(ids === undefined ? {} : { InstanceIds: [...ids] }),
  );
  return (answer.Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
}
