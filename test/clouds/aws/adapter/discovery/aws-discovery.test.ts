import { AwsDiscovery } from '../../../../../src/clouds/aws/adapter/discovery/aws-discovery.js';
import type { Resolution } from '../../../../../src/clouds/aws/adapter/discovery/resolution.js';
import { clientsOf } from '../../../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { ec2Error, type FakeAws } from '../../../../support/fake-aws.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { accountOf, type Account } from './account.js';

const DEMO = { 'karpenter.sh/discovery': 'berth-demo' };
const STANDARD = '/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id';
const ACCOUNT: Account = {
  subnets: [
    { id: 'subnet-a', zone: 'eu-west-3a', tags: DEMO, free: 11 },
    { id: 'subnet-b', zone: 'eu-west-3b', tags: DEMO, free: 22 },
    { id: 'subnet-c', zone: 'eu-west-3c', tags: { team: 'data' } },
  ],
  groups: [
    { id: 'sg-1', name: 'nodes', tags: DEMO },
    { id: 'sg-2', name: 'other' },
  ],
  images: [{ id: 'ami-1', name: 'al2023', created: '2026-01-01T00:00:00.000Z' }],
  parameters: { [STANDARD]: 'ami-1' },
};

function discoveryOf(aws: FakeAws, clock = new VirtualClock()): AwsDiscovery {
  const clients = clientsOf(aws, { clock });
  return new AwsDiscovery({
    clients,
    clock,
    kubernetesVersion: () => Promise.resolve('1.36'),
    clusterUID: () => 'uid',
  });
}

function resolve(account: Account, spec?: Parameters<typeof ec2NodeClass>[0]): Promise<Resolution> {
  return discoveryOf(accountOf(account)).resolve(ec2NodeClass(spec));
}

test('a node class amounts to its subnets with their zones and room, its security groups and its images', async () => {
  await expect(resolve(ACCOUNT)).resolves.toEqual({
    subnets: [
      { id: 'subnet-a', zone: 'eu-west-3a', zoneID: 'euw3-aza', freeAddresses: 11, vpcID: 'vpc-1' },
      { id: 'subnet-b', zone: 'eu-west-3b', zoneID: 'euw3-azb', freeAddresses: 22, vpcID: 'vpc-1' },
    ],
    securityGroups: [{ id: 'sg-1', name: 'nodes', vpcID: 'vpc-1' }],
    images: [
      {
        id: 'ami-1',
        name: 'al2023',
        arch: 'amd64',
        createdAt: Date.UTC(2026, 0, 1),
        deprecated: false,
        variants: ['standard'],
      },
    ],
    problems: [],
  });
});

test('a subnet with IPv6 alone always has addresses, though it has none of IPv4', async () => {
  const { subnets } = await resolve({
    ...ACCOUNT,
    subnets: [{ id: 'subnet-6', tags: DEMO, free: 0, ipv6Native: true }],
  });
  expect(subnets.map(({ freeAddresses }) => freeAddresses)).toEqual([Infinity]);
});

test('lists of many pages are read to the end', async () => {
  const subnets = Array.from({ length: 25 }, (_, index) => ({ id: `subnet-${String(index)}`, tags: DEMO }));
  const { subnets: found } = await resolve({ ...ACCOUNT, subnets, pageSize: 4 });
  expect(found).toHaveLength(25);
});

test('several ids are one question, and what two terms select is there once', async () => {
  const aws = accountOf(ACCOUNT);
  const { subnets } = await discoveryOf(aws).resolve(
    ec2NodeClass({
      subnetSelectorTerms: [{ id: 'subnet-c' }, { id: 'subnet-a' }, { tags: DEMO }],
    }),
  );
  expect(subnets.map(({ id }) => id)).toEqual(['subnet-a', 'subnet-b', 'subnet-c']);
  expect(aws.askedFor('DescribeSubnets')).toHaveLength(2);
});

test('security groups go by name, too', async () => {
  const { securityGroups } = await resolve(ACCOUNT, { securityGroupSelectorTerms: [{ name: 'oth*' }] });
  expect(securityGroups.map(({ id }) => id)).toEqual(['sg-2']);
});

test('a subnet that is not ready does not count', async () => {
  const subnets = [{ id: 'subnet-a', tags: DEMO, state: 'pending' }];
  const { problems } = await resolve({ ...ACCOUNT, subnets });
  expect(problems).toHaveLength(1);
});

test('where nothing matches, a sentence says which terms, and what would have to change', async () => {
  const { problems } = await resolve({}, { subnetSelectorTerms: [{ tags: DEMO }, { id: 'subnet-9' }] });
  expect(problems).toEqual([
    'spec.subnetSelectorTerms[0] (tags karpenter.sh/discovery=berth-demo), spec.subnetSelectorTerms[1] (id subnet-9): no subnet in eu-west-3 matches: tag one so, or correct the terms',
    'spec.securityGroupSelectorTerms[0] (tags karpenter.sh/discovery=berth-demo): no security group in eu-west-3 matches: tag one so, or correct the terms',
    'spec.amiSelectorTerms[0].alias al2023@latest: AWS publishes no such image for Kubernetes 1.36 in eu-west-3: choose a version that exists',
  ]);
});

test('a term that matches nothing beside one that does is no problem', async () => {
  const { problems } = await resolve(ACCOUNT, { subnetSelectorTerms: [{ tags: DEMO }, { id: 'subnet-9' }] });
  expect(problems).toEqual([]);
});

test('security groups of another VPC than the subnets are a problem', async () => {
  const groups = [{ id: 'sg-1', tags: DEMO, vpc: 'vpc-2' }];
  const { problems } = await resolve({ ...ACCOUNT, groups });
  expect(problems).toEqual([expect.stringContaining('sg-1 of vpc-2')]);
});

test('AWS failing is no problem of the user: it is thrown', async () => {
  const aws = accountOf(ACCOUNT).answer('DescribeSubnets', ec2Error('UnauthorizedOperation', 403));
  await expect(discoveryOf(aws).resolve(ec2NodeClass())).rejects.toMatchObject({
    code: 'Forbidden',
    message: expect.stringContaining('ec2:DescribeSubnets') as string,
  });
});

test('what was found is remembered, for all node classes that ask the same', async () => {
  const aws = accountOf(ACCOUNT);
  const discovery = discoveryOf(aws);
  await discovery.resolve(ec2NodeClass());
  await discovery.resolve(ec2NodeClass({ tags: { another: 'class' } }));
  expect(aws.asked).toHaveLength(4);
});

test('it is forgotten after a while, and at once when asked', async () => {
  const aws = accountOf(ACCOUNT);
  const clock = new VirtualClock();
  const discovery = discoveryOf(aws, clock);
  await discovery.resolve(ec2NodeClass());
  clock.freeze(60_000);
  await discovery.resolve(ec2NodeClass());
  expect(aws.asked).toHaveLength(8);
  discovery.forget();
  await discovery.resolve(ec2NodeClass());
  expect(aws.asked).toHaveLength(12);
});

test('that nothing was found is forgotten soon, for somebody is about to mend it', async () => {
  const aws = accountOf({ ...ACCOUNT, subnets: [] });
  const clock = new VirtualClock();
  const discovery = discoveryOf(aws, clock);
  await discovery.resolve(ec2NodeClass());
  clock.freeze(5_000);
  await discovery.resolve(ec2NodeClass());
  expect(aws.askedFor('DescribeSubnets')).toHaveLength(2);
  expect(aws.askedFor('DescribeSecurityGroups')).toHaveLength(1);
});

test('a failure is not remembered', async () => {
  const aws = accountOf(ACCOUNT);
  const account = accountOf(ACCOUNT);
  aws.answer('DescribeSubnets', ec2Error('UnauthorizedOperation', 403), async (asked, signal) => {
    const body = new URLSearchParams(asked.fields as Record<string, string>).toString();
    return account.handle({ method: 'POST', path: '/', headers: {}, body }, signal);
  });
  const discovery = discoveryOf(aws);
  await expect(discovery.resolve(ec2NodeClass())).rejects.toMatchObject({ code: 'Forbidden' });
  await expect(discovery.resolve(ec2NodeClass())).resolves.toMatchObject({ problems: [] });
});
