/** What is wrong with node classes, said so that their authors can mend it. */
import type { AwsCloudOptions } from '../../../../../src/clouds/aws/adapter/aws-cloud.js';
import type { AllowLists } from '../../../../../src/clouds/aws/adapter/node-class/allow-lists.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { launchCall, launchIntent, outcomeOf, simulatedWorld } from '../simulated-world.js';

async function problems(
  spec: Readonly<Record<string, unknown>>,
  cloud: Partial<AwsCloudOptions> = {},
): Promise<readonly string[]> {
  const world = simulatedWorld({ cloud });
  return (await world.cloud.resolveNodeClass(ec2NodeClass(spec))).problems;
}

test('a node class that can be launched from has its zones, subnets, groups and images', async () => {
  const { cloud } = simulatedWorld();
  const resolved = await cloud.resolveNodeClass(ec2NodeClass());
  expect(resolved).toMatchObject({ zones: ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'], problems: [] });
  expect(resolved.subnetIDs).toHaveLength(3);
  expect(resolved.securityGroupIDs).toHaveLength(1);
});

test.each([
  [
    'a role that nobody filled in',
    { role: 'REPLACE_WITH_NODE_ROLE' },
    /^spec.role REPLACE_WITH_NODE_ROLE is a placeholder: /,
  ],
  ['no subnet', { subnetSelectorTerms: [{ tags: { nobody: 'has' } }] }, /no subnet in eu-west-3 matches/],
  [
    'an alias of a version that there is not',
    { amiSelectorTerms: [{ alias: 'al2023@v20010101' }] },
    /al2023@v20010101/,
  ],
  ['AL2 on a Kubernetes that has none', { amiSelectorTerms: [{ alias: 'al2@latest' }] }, /al2023/],
  ['a role that there is not', { role: 'nobody' }, /nobody/],
  ['user data that cannot be merged', { userData: 'hello' }, /^spec.userData: must be a MIME document/],
  [
    'user data that is too long',
    { userData: `#!/bin/sh\n${'#'.repeat(16_384)}` },
    /^spec.userData: \d+ bytes/,
  ],
])('%s is told', async (...[, spec, expected]) => {
  const told = await problems(spec);
  expect(told.join('\n')).toMatch(expected);
  expect(told).toHaveLength(1);
});

test('a node class of another cloud is a problem', async () => {
  const { cloud } = simulatedWorld();
  const other = { kind: 'KWOKNodeClass', name: 'default', template: {}, secretFields: [] } as const;
  expect((await cloud.resolveNodeClass(other)).problems).toEqual([
    'launch from KWOKNodeClass default: --cloud aws launches from EC2NodeClasses only',
  ]);
});

test('nothing is launched, and no profile made, while there is a problem', async () => {
  const { aws, cloud } = simulatedWorld();
  const nodeClass = ec2NodeClass({ subnetSelectorTerms: [{ tags: { nobody: 'has' } }] });
  await expect(cloud.prepareLaunch(launchIntent({ nodeClass }))).rejects.toMatchObject({ code: 'Invalid' });
  expect(aws.log.count('iam:CreateInstanceProfile')).toBe(0);
  expect(aws.log.count('ec2:CreateLaunchTemplate')).toBe(0);
});

describe('allow-lists', () => {
  const cases: readonly (readonly [string, AllowLists, Readonly<Record<string, unknown>>, string])[] = [
    ['roles', { roles: ['other-*'] }, {}, 'spec.role berth-node is not allowed; allowed are other-*'],
    [
      'instance profiles',
      { instanceProfiles: ['mine'] },
      { role: undefined, instanceProfile: 'theirs' },
      'spec.instanceProfile theirs is not allowed; allowed are mine',
    ],
    [
      'AMI owners',
      { imageOwners: ['self'] },
      {},
      'spec.amiSelectorTerms: image owner amazon is not allowed; allowed are self',
    ],
    [
      'AMI owners that a term does not name',
      { imageOwners: ['self'] },
      { amiFamily: 'Custom', amiSelectorTerms: [{ name: 'golden-*' }] },
      'spec.amiSelectorTerms: image owner amazon is not allowed; allowed are self',
    ],
  ];
  test.each(cases)('refuse other %s', async (...[, allow, spec, problem]) => {
    expect(await problems(spec, { allow })).toEqual([problem]);
  });

  test('let through what matches', async () => {
    const allow = { roles: ['berth-*'], subnetIDs: ['subnet-*'], imageOwners: ['amazon'] };
    expect(await problems({}, { allow })).toEqual([]);
  });

  test('leave out subnets, and say so when none is left', async () => {
    const { cloud } = simulatedWorld();
    const { subnetIDs = [] } = await cloud.resolveNodeClass(ec2NodeClass());
    const [first = ''] = subnetIDs;
    const some = simulatedWorld({ cloud: { allow: { subnetIDs: [first] } } });
    expect(await some.cloud.resolveNodeClass(ec2NodeClass())).toMatchObject({
      subnetIDs: [first],
      problems: [],
    });
    expect(await problems({}, { allow: { subnetIDs: ['subnet-x'] } })).toEqual([
      `spec.subnetSelectorTerms select ${subnetIDs.join(', ')}, and none of them is allowed; allowed are subnet-x`,
    ]);
  });
});

describe('permissions', () => {
  test.each([
    'ec2:CreateFleet',
    'ec2:RunInstances',
    'ec2:CreateLaunchTemplate',
    'ec2:CreateTags',
    'ec2:DescribeSubnets',
    'ec2:DescribeImages',
    'ssm:GetParameters',
    'eks:DescribeCluster',
    'iam:GetInstanceProfile',
    'iam:PassRole',
  ])('%s that is missing is named', async (action) => {
    const { aws, cloud } = simulatedWorld();
    aws.deny(action);
    const { problems: told } = await cloud.resolveNodeClass(ec2NodeClass());
    expect(told.join('\n')).toContain(`needs the permission ${action}`);
    expect(aws.instances()).toEqual([]);
  });

  test.each(['ec2:TerminateInstances', 'ec2:CreateTags'])(
    '%s that is missing is named for the instances that the cluster has',
    async (action) => {
      const { aws, cloud } = simulatedWorld();
      await cloud.launch(await launchCall(cloud));
      aws.deny(action);
      const { problems: told } = await cloud.resolveNodeClass(ec2NodeClass());
      expect(told.join('\n')).toContain(`needs the permission ${action}`);
      expect(aws.instances()).toMatchObject([{ state: 'pending' }]);
    },
  );

  test('are asked for once, and again a minute after one was missing', async () => {
    const { aws, cloud, clock } = simulatedWorld();
    const undo = aws.deny('ec2:CreateFleet');
    expect((await cloud.resolveNodeClass(ec2NodeClass())).problems).toHaveLength(1);
    undo();
    expect((await cloud.resolveNodeClass(ec2NodeClass())).problems).toHaveLength(1);
    await clock.advance(60_000);
    expect((await cloud.resolveNodeClass(ec2NodeClass())).problems).toEqual([]);
    await clock.advance(600_000);
    await cloud.resolveNodeClass(ec2NodeClass());
    // For each of four families while it is denied, then for one.
    expect(aws.log.count('ec2:CreateFleet')).toBe(5);
  });

  test('are not looked for when that is switched off', async () => {
    const { aws, cloud } = simulatedWorld({ cloud: { checksPermissions: false } });
    aws.deny('ec2:CreateFleet');
    expect((await cloud.resolveNodeClass(ec2NodeClass())).problems).toEqual([]);
    expect(aws.log.count('ec2:CreateFleet')).toBe(0);
  });
});

test('what AWS does not answer is no problem of the node class: the question fails', async () => {
  const { aws, cloud, clock } = simulatedWorld();
  aws.faults.add({ action: 'ec2:DescribeSubnets', fault: { kind: 'throttle' } });
  const outcome = await outcomeOf(clock, cloud.resolveNodeClass(ec2NodeClass()));
  expect(outcome).toMatchObject({ code: 'RateLimited', retryable: true });
});

describe('the cluster', () => {
  test('is what the options say, and EKS is not asked', async () => {
    const cluster = {
      name: 'mine',
      endpoint: 'https://api.mine',
      certificateAuthority: 'Q0E=',
      serviceCIDR: '10.0.0.0/16',
      version: '1.34',
    };
    const { aws, cloud } = simulatedWorld({ cloud: { cluster } });
    expect((await cloud.resolveNodeClass(ec2NodeClass())).problems).toEqual([]);
    expect(aws.log.count('eks:DescribeCluster')).toBe(0);
  });

  test('is asked of EKS once in five minutes', async () => {
    const { aws, cloud, clock } = simulatedWorld();
    for (let minute = 0; minute < 5; minute++) {
      await cloud.resolveNodeClass(ec2NodeClass());
      await clock.advance(60_000);
    }
    expect(aws.log.count('eks:DescribeCluster')).toBe(1);
  });

  test('that EKS does not know is told', async () => {
    expect(
      (await problems({}, { cluster: { name: 'nobody' } })).some((text) => text.includes('nobody')),
    ).toBe(true);
  });

  test('is none of the business of a custom image', async () => {
    const golden = [{ tags: { 'example.berth.sh/image': 'golden' }, owner: 'self' }];
    const cloud = { cluster: { name: 'nobody' } };
    expect(await problems({ amiFamily: 'Custom', amiSelectorTerms: golden }, cloud)).toEqual([]);
  });
});
