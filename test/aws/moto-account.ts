/** An account of moto, an AWS of somebody else's, with what Berth finds in an account: network, images, cluster, queue. */
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { join } from 'node:path';
import { PythonProcess } from './python-process.js';

export const REGION = 'eu-west-3';
export const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;
export const CLUSTER = 'berth-demo';
const DISCOVERY = [{ Key: 'karpenter.sh/discovery', Value: CLUSTER }];

/** Its images and the parameters that name them are those of the files beside the server. */
export interface MotoAccount {
  readonly url: string;
  /** By zone. */
  readonly subnets: ReadonlyMap<string, string>;
  readonly securityGroupID: string;
  /** The account's owner, who looks and meddles. */
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
  readonly sqs: SQSClient;
  close(): Promise<void>;
}

export async function startMoto(): Promise<MotoAccount> {
  const folder = join(import.meta.dirname, 'moto');
  const server = new PythonProcess(join(folder, 'serve.py'), [join(folder, 'parameters.json')], {
    MOTO_AMIS_PATH: join(folder, 'images.json'),
    MOTO_EC2_LOAD_DEFAULT_AMIS: 'false',
    MOTO_IAM_LOAD_MANAGED_POLICIES: 'false',
  });
  try {
    const url = `http://127.0.0.1:${await server.firstLine()}`;
    const config = {
      region: REGION,
      endpoint: url,
      credentials: { accessKeyId: 'owner', secretAccessKey: 'nothing' },
    };
    const clients = {
      ec2: new EC2Client(config),
      iam: new IAMClient(config),
      sqs: new SQSClient(config),
    };
    const { subnets, securityGroupID } = await createNetwork(clients.ec2);
    await createCluster(new EKSClient(config), [...subnets.values()]);
    await clients.iam.send(
      new CreateRoleCommand({ RoleName: 'berth-node', AssumeRolePolicyDocument: '{"Version":"2012-10-17"}' }),
    );
    await clients.sqs.send(new CreateQueueCommand({ QueueName: CLUSTER }));
    const close = async (): Promise<void> => {
      for (const client of Object.values(clients)) client.destroy();
      await server.stop();
    };
    return { url, subnets, securityGroupID, ...clients, close };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function createNetwork(ec2: EC2Client): Promise<Pick<MotoAccount, 'subnets' | 'securityGroupID'>> {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const subnets = new Map<string, string>();
  for (const [index, AvailabilityZone] of ZONES.entries()) {
    const { Subnet } = await ec2.send(
      new CreateSubnetCommand({
        VpcId: Vpc?.VpcId,
        AvailabilityZone,
        CidrBlock: `10.0.${String(16 * index)}.0/20`,
        TagSpecifications: [{ ResourceType: 'subnet', Tags: DISCOVERY }],
      }),
    );
    subnets.set(AvailabilityZone, Subnet?.SubnetId ?? '');
  }
  const { GroupId = '' } = await ec2.send(
    new CreateSecurityGroupCommand({ VpcId: Vpc?.VpcId, GroupName: 'berth-demo-node', Description: 'nodes' }),
  );
  await ec2.send(new CreateTagsCommand({ Resources: [GroupId], Tags: DISCOVERY }));
  return { subnets, securityGroupID: GroupId };
}

async function createCluster(eks: EKSClient, subnetIds: string[]): Promise<void> {
  await eks.send(
    new CreateClusterCommand({
      name: CLUSTER,
      version: '1.36',
      roleArn: 'arn:aws:iam::000000000000:role/berth-demo-cluster',
      resourcesVpcConfig: { subnetIds },
    }),
  );
  eks.destroy();
}
