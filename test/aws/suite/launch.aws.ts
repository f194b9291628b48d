import {
  DescribeInstanceAttributeCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
} from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateRoleCommand,
  GetInstanceProfileCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { LaunchTemplates } from '../../../src/clouds/aws/adapter/launch/launch-templates.js';
import { InstanceProfiles } from '../../../src/clouds/aws/adapter/node-class/instance-profiles.js';
import type { AwsCloud } from '../../../src/clouds/aws/adapter/index.js';
import { UNREGISTERED_TAINT, type LaunchRequest } from '../../../src/domain/nodes/node-claim.js';
import {
  CLUSTER_TAG,
  LAUNCH_GROUP_TAG,
  NODECLAIM_TAG,
  type LaunchAnswer,
  type LaunchIntent,
} from '../../../src/ports/cloud.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { ec2NodeClass } from '../../support/builders/ec2-node-class.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { berthOn, type BerthOnAws } from '../berth-on.js';
import { CLUSTER, startMoto, ZONES, type MotoAccount } from '../moto-account.js';
import { answeredCalls, report } from '../report.js';

let moto: MotoAccount;
let berth: BerthOnAws;
let cloud: AwsCloud;

beforeAll(async () => {
  moto = await startMoto();
  berth = berthOn(moto.url);
  cloud = berth.cloud();
});

afterAll(async () => {
  report('moto: launches', await answeredCalls(berth.metrics));
  await moto.close();
});

function intent(overrides: Partial<LaunchIntent> = {}): LaunchIntent {
  return {
    nodeClass: ec2NodeClass({ tags: { team: 'platform' } }),
    capacityType: 'on-demand',
    offerings: ZONES.map((zone) => ({ instanceType: 'm5.large', zone, price: 0.112 })),
    size: 1,
    labels: new Map([['karpenter.sh/nodepool', 'general']]),
    taints: [UNREGISTERED_TAINT],
    ...overrides,
  };
}

/** Instances of a launch group of this name. */
async function launch(group: string, request: LaunchRequest): Promise<LaunchAnswer> {
  const { labels, taints } = intent();
  return cloud.launch({ token: `token-${group}`, request, tags: tagsOf(group), labels, taints });
}

function tagsOf(group: string): ReadonlyMap<string, string> {
  return new Map([
    [CLUSTER_TAG, 'cluster-1'],
    [LAUNCH_GROUP_TAG, group],
  ]);
}

describe('launch templates on moto', () => {
  it('are made once for the same content, and found again after a restart', async () => {
    const first = await cloud.prepareLaunch(intent());
    const again = await cloud.prepareLaunch(intent());
    const restarted = await berth.cloud().prepareLaunch(intent());
    expect(again).toEqual(first);
    expect(restarted).toEqual(first);
    const { LaunchTemplates: templates = [] } = await moto.ec2.send(new DescribeLaunchTemplatesCommand({}));
    const id = first.overrides[0]?.launchTemplate?.id;
    expect(templates.map(({ LaunchTemplateId }) => LaunchTemplateId)).toEqual([id]);
    expect(templates[0]?.Tags).toContainEqual({ Key: 'berth.sh/launch-template', Value: CLUSTER });
  });

  it('are others for other content', async () => {
    const plain = await cloud.prepareLaunch(intent());
    const labelled = await cloud.prepareLaunch(
      intent({ labels: new Map([['example.berth.sh/tier', 'web']]) }),
    );
    expect(labelled.overrides[0]?.launchTemplate?.id).not.toBe(plain.overrides[0]?.launchTemplate?.id);
  });

  it('say all that a node needs', async () => {
    const { overrides } = await cloud.prepareLaunch(intent());
    const { LaunchTemplateVersions: versions = [] } = await moto.ec2.send(
      new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: overrides[0]?.launchTemplate?.id }),
    );
    const data = versions[0]?.LaunchTemplateData;
    expect(data).toMatchObject({
      ImageId: overrides[0]?.imageID,
      IamInstanceProfile: { Name: expect.stringMatching(/^berth-/) as string },
      SecurityGroupIds: [moto.securityGroupID],
      MetadataOptions: { HttpTokens: 'required' },
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { Encrypted: true, VolumeType: 'gp3' } }],
    });
    const userData = Buffer.from(data?.UserData ?? '', 'base64').toString();
    expect(userData).toContain('Content-Type: application/node.eks.aws');
    expect(userData).toContain(`name: ${CLUSTER}`);
    expect(userData).toContain('karpenter.sh/nodepool=general');
  });

  it('are deleted when they were not used for an hour, and only those of the cluster', async () => {
    const clock = new VirtualClock({ start: Date.now() + 7_200_000 });
    const templates = new LaunchTemplates({ clients: berth.clients, clock, clusterName: 'another' });
    const { id } = await templates.ensure({ ImageId: 'ami-00000000000000001' });
    const others = await cloud.prepareLaunch(intent());
    await templates.collect();
    expect(await idsOfTemplates()).toContain(id);
    await clock.advance(3_600_000);
    await templates.collect();
    const left = await idsOfTemplates();
    expect(left).not.toContain(id);
    expect(left).toContain(others.overrides[0]?.launchTemplate?.id);
  });
});

async function idsOfTemplates(): Promise<readonly (string | undefined)[]> {
  const { LaunchTemplates: found = [] } = await moto.ec2.send(new DescribeLaunchTemplatesCommand({}));
  return found.map(({ LaunchTemplateId }) => LaunchTemplateId);
}

// Moto launches whatever the first override says, repeats no answer for a token, and knows no shortage: of CreateFleet its
// shapes, its tags and its user data are checked, and nothing of how it chooses. It also ignores most of a launch template.
describe('instances on moto', () => {
  it('are launched, and listed by their tags with what they are', async () => {
    const request = await cloud.prepareLaunch(intent());
    const { instances, failures } = await launch('one', request);
    expect(failures).toEqual([]);
    expect(instances).toMatchObject([
      { instanceType: 'm5.large', zone: ZONES[0], capacityType: 'on-demand' },
    ]);
    const listed = await cloud.instances(tagsOf('one'));
    const id = instances[0]?.id ?? '';
    expect(listed).toMatchObject([
      {
        id,
        providerID: `aws:///${ZONES[0]}/${id}`,
        instanceType: 'm5.large',
        zone: ZONES[0],
        capacityType: 'on-demand',
        imageID: request.overrides[0]?.imageID,
        state: 'running',
      },
    ]);
    const [instance] = listed;
    expect(Object.fromEntries(instance?.tags ?? [])).toMatchObject({
      team: 'platform',
      [CLUSTER_TAG]: 'cluster-1',
      [LAUNCH_GROUP_TAG]: 'one',
    });
    expect(Math.abs(Date.now() - (instance?.launchedAt ?? 0))).toBeLessThan(60_000);
  });

  it('get the user data of their template', async () => {
    const { instances } = await launch('told', await cloud.prepareLaunch(intent()));
    const { UserData } = await moto.ec2.send(
      new DescribeInstanceAttributeCommand({ InstanceId: instances[0]?.id, Attribute: 'userData' }),
    );
    expect(Buffer.from(UserData?.Value ?? '', 'base64').toString()).toContain(`name: ${CLUSTER}`);
  });

  it('are as many as asked for', async () => {
    const { instances } = await launch('three', await cloud.prepareLaunch(intent({ size: 3 })));
    const listed = await cloud.instances(tagsOf('three'));
    expect(new Set(instances.map(({ id }) => id)).size).toBe(3);
    expect(listed.map(({ id }) => id).sort()).toEqual(instances.map(({ id }) => id).sort());
  });

  it('are on spot where that is asked for', async () => {
    await launch('spot', await cloud.prepareLaunch(intent({ capacityType: 'spot' })));
    expect(await cloud.instances(tagsOf('spot'))).toMatchObject([{ capacityType: 'spot' }]);
  });

  it('are found by a tag that they got later', async () => {
    const { instances } = await launch('tagged', await cloud.prepareLaunch(intent({ size: 2 })));
    const id = instances[0]?.id ?? '';
    await cloud.tagInstances([id], new Map([[NODECLAIM_TAG, 'general-abcde']]));
    const found = await cloud.instances(new Map([[NODECLAIM_TAG, 'general-abcde']]));
    expect(found.map((instance) => instance.id)).toEqual([id]);
  });

  it('end when they are terminated, and doing so again is no error', async () => {
    const { instances } = await launch('ended', await cloud.prepareLaunch(intent({ size: 2 })));
    const ids = instances.map(({ id }) => id);
    await cloud.terminate(ids);
    await cloud.terminate(ids);
    const states = (await cloud.instances(tagsOf('ended'))).map(({ state }) => state);
    expect(states).toEqual(['terminated', 'terminated']);
  });

  it('end though others that are asked for beside them are unknown', async () => {
    const { instances } = await launch('beside', await cloud.prepareLaunch(intent()));
    const ids = instances.map(({ id }) => id);
    await cloud.terminate(['i-0123456789abcdef0', ...ids]);
    expect(await cloud.instances(tagsOf('beside'))).toMatchObject([{ state: 'terminated' }]);
  });

  it('are refused with what EC2 says where the subnet is gone', async () => {
    const request = await cloud.prepareLaunch(intent());
    const overrides = request.overrides.map((each) => ({ ...each, subnetID: 'subnet-0123456789abcdef0' }));
    await expect(launch('nowhere', { ...request, overrides })).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('subnet-0123456789abcdef0') as string,
    });
  });
});

describe('instance profiles on moto', () => {
  const profiles = (): InstanceProfiles =>
    new InstanceProfiles({ clients: berth.clients, clock: systemClock, clusterName: 'profiles' });

  async function rolesIn(name: string): Promise<readonly (string | undefined)[]> {
    const { InstanceProfile } = await moto.iam.send(
      new GetInstanceProfileCommand({ InstanceProfileName: name }),
    );
    return InstanceProfile?.Roles?.map(({ RoleName }) => RoleName) ?? [];
  }

  it('are made with their role, and found again after a restart', async () => {
    const name = await profiles().ensure('berth-node');
    expect(await profiles().ensure('berth-node')).toBe(name);
    expect(await rolesIn(name)).toEqual(['berth-node']);
    const { InstanceProfile } = await moto.iam.send(
      new GetInstanceProfileCommand({ InstanceProfileName: name }),
    );
    expect(InstanceProfile?.Tags).toEqual([
      { Key: 'kubernetes.io/cluster/profiles', Value: 'owned' },
      { Key: 'berth.sh/region', Value: berth.clients.region },
    ]);
  });

  it('get their role back when another client has replaced it', async () => {
    const InstanceProfileName = await profiles().ensure('berth-node');
    await moto.iam.send(
      new CreateRoleCommand({ RoleName: 'stranger', AssumeRolePolicyDocument: '{"Version":"2012-10-17"}' }),
    );
    await moto.iam.send(
      new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName: 'berth-node' }),
    );
    await moto.iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName: 'stranger' }));
    await profiles().ensure('berth-node');
    expect(await rolesIn(InstanceProfileName)).toEqual(['berth-node']);
  });

  it('are a problem of the node class where the role does not exist', async () => {
    const { problems } = await cloud.resolveNodeClass(ec2NodeClass({ role: 'nobody' }));
    expect(problems).toEqual([expect.stringContaining('nobody')]);
  });
});
