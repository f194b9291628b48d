/** Network interfaces of launches, as EC2 has them. */
import { Catalogue, catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import type { LaunchIntent } from '../../../../../src/ports/cloud.js';
import type { AwsSimulatorOptions } from '../../../../../world/aws/aws-simulator-options.js';
import { DescribeInstancesCommand, type InstanceNetworkInterface } from '@aws-sdk/client-ec2';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { launchCall, offerings, simulatedWorld } from '../simulated-world.js';

const ALL = catalogueFor('eu-west-3');
const catalogue = new Catalogue({
  region: ALL.region,
  entries: ALL.entries.filter(({ facts }) =>
    ['m5.large', 'm5n.24xlarge', 'c6in.32xlarge'].includes(facts.name),
  ),
});
const EFA = new Map([['vpc.amazonaws.com/efa', 1]]);

/** The templates of the launches, and the interfaces of each instance. */
async function launched(
  intents: readonly Partial<LaunchIntent>[],
  options: Partial<AwsSimulatorOptions> = {},
) {
  const { cloud, clients } = simulatedWorld({
    simulator: { catalogue, ...options },
    cloud: { catalogue: () => catalogue },
  });
  const templates: (string | undefined)[] = [];
  const interfaces: (readonly InstanceNetworkInterface[])[] = [];
  for (const [index, intent] of intents.entries()) {
    const call = await launchCall(cloud, { offerings: offerings('m5.large', 'eu-west-3a'), ...intent });
    templates.push(call.request.overrides[0]?.launchTemplate?.id);
    const { instances, failures } = await cloud.launch({ ...call, token: `token-${String(index)}` });
    expect(failures).toEqual([]);
    const ids = instances.map(({ id }) => id);
    const answer = await clients.call(
      'DescribeInstances',
      (client, own) => client.send(new DescribeInstancesCommand({ InstanceIds: ids }), own),
      {},
    );
    const found = (answer.Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
    interfaces.push(found.flatMap(({ NetworkInterfaces }) => NetworkInterfaces ?? []));
  }
  return { templates, interfaces };
}

function places(interfaces: readonly InstanceNetworkInterface[] | undefined): readonly string[] {
  return (interfaces ?? []).map(
    ({ Attachment, InterfaceType = '' }) =>
      `${String(Attachment?.NetworkCardIndex)}/${String(Attachment?.DeviceIndex)} ${InterfaceType}`,
  );
}

test('instances of an IPv6 cluster have a primary IPv6 address, custom images too; others have none', async () => {
  const custom = ec2NodeClass({
    amiFamily: 'Custom',
    amiSelectorTerms: [{ tags: { environment: 'production' } }],
  });
  const intents = [{}, { nodeClass: custom }];
  const six = await launched(intents, { ipFamily: 'ipv6' });
  for (const [primary] of six.interfaces)
    expect(primary?.Ipv6Addresses).toMatchObject([
      { Ipv6Address: expect.stringMatching(/^2001:db8:/) as string, IsPrimaryIpv6: true },
    ]);
  const four = await launched(intents);
  for (const [primary] of four.interfaces) expect(primary?.Ipv6Addresses ?? []).toEqual([]);
});

test('a launch for pods that request EFAs has one on each card that takes one, by a template of its own', async () => {
  const large = { offerings: offerings('m5n.24xlarge', 'eu-west-3a') };
  const two = { offerings: offerings('c6in.32xlarge', 'eu-west-3a') };
  const { templates, interfaces } = await launched([
    { ...large, requests: EFA },
    { ...two, requests: EFA },
    large,
    { ...large, requests: EFA },
  ]);
  expect(interfaces.map(places)).toEqual([
    ['0/0 efa'],
    ['0/0 efa', '1/1 efa'],
    ['0/0 interface'],
    ['0/0 efa'],
  ]);
  expect(new Set(templates).size).toBe(3);
  expect(templates[3]).toBe(templates[0]);
});
