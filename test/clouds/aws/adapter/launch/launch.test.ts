/** Launches, as EC2 is asked for them, and what comes of its answers. */
import { Catalogue, catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import type { LaunchAnswer } from '../../../../../src/ports/cloud.js';
import { PortError } from '../../../../../src/ports/port-error.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { launchCall, offerings, outcomeOf, sent, simulatedWorld, TAGS, ZONES } from '../simulated-world.js';

const CREATE_FLEET = 'ec2:CreateFleet';
const FIRST_ZONE = 'eu-west-3a';

function codes({ failures }: LaunchAnswer): readonly string[] {
  return failures.map(({ zone, code }) => `${zone.slice(-1)} ${code}`);
}

describe('what is asked for', () => {
  test('an instant fleet, cheapest first, with the token, the tags and the order of preference', async () => {
    const { aws, cloud } = simulatedWorld();
    const call = await launchCall(cloud, { size: 2 });
    await cloud.launch(call);
    const [fields] = sent(aws, CREATE_FLEET);
    const template = call.request.overrides[0]?.launchTemplate;
    expect(template?.id).toMatch(/^lt-[0-9a-f]+$/);
    expect(fields).toMatchObject({
      Type: 'instant',
      ClientToken: 'token-1',
      'OnDemandOptions.AllocationStrategy': 'prioritized',
      'TargetCapacitySpecification.TotalTargetCapacity': '2',
      'TargetCapacitySpecification.DefaultTargetCapacityType': 'on-demand',
      'LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateId': template?.id,
      'LaunchTemplateConfigs.1.LaunchTemplateSpecification.Version': '1',
      'LaunchTemplateConfigs.1.Overrides.1.InstanceType': 'm5.large',
      'LaunchTemplateConfigs.1.Overrides.1.AvailabilityZone': 'eu-west-3a',
      'LaunchTemplateConfigs.1.Overrides.1.Priority': '0',
      'LaunchTemplateConfigs.1.Overrides.3.AvailabilityZone': 'eu-west-3c',
      'LaunchTemplateConfigs.1.Overrides.3.Priority': '2',
      'TagSpecification.1.ResourceType': 'fleet',
      'TagSpecification.2.ResourceType': 'instance',
      'TagSpecification.2.Tag.1.Key': 'berth.sh/cluster',
      'TagSpecification.2.Tag.1.Value': 'cluster-1',
      'TagSpecification.3.ResourceType': 'volume',
    });
  });

  test('on spot, the pools that are cheap and deep', async () => {
    const { aws, cloud } = simulatedWorld();
    await cloud.launch(await launchCall(cloud, { capacityType: 'spot' }));
    expect(sent(aws, CREATE_FLEET)[0]).toMatchObject({
      'SpotOptions.AllocationStrategy': 'price-capacity-optimized',
      'TargetCapacitySpecification.DefaultTargetCapacityType': 'spot',
    });
    expect(aws.instances()).toMatchObject([{ capacityType: 'spot' }]);
  });

  test('each architecture, and instances with GPUs, get their image and their launch template', async () => {
    const { cloud } = simulatedWorld();
    const mixed = ['m5.large', 'm7g.large', 'g4dn.xlarge', 'm6i.large'].flatMap((type) =>
      offerings(type, FIRST_ZONE),
    );
    const { request } = await launchCall(cloud, { offerings: mixed });
    const [m5, m7g, g4dn, m6i] = request.overrides;
    expect(m6i?.imageID).toBe(m5?.imageID);
    expect(m6i?.launchTemplate).toEqual(m5?.launchTemplate);
    expect(new Set([m5, m7g, g4dn].map((each) => each?.imageID)).size).toBe(3);
    expect(new Set([m5, m7g, g4dn].map((each) => each?.launchTemplate?.id)).size).toBe(3);
  });

  test('a launch template for each number of pods, which is in its user data', async () => {
    const all = catalogueFor('eu-west-3');
    const catalogue = new Catalogue({
      region: all.region,
      entries: all.entries.filter(({ facts }) => ['m5.large', 'm5.xlarge', 'm6i.large'].includes(facts.name)),
    });
    const { aws, cloud } = simulatedWorld({
      simulator: { catalogue },
      cloud: { catalogue: () => catalogue },
    });
    const names = ['m5.large', 'm6i.large', 'm5.xlarge'];
    const { request } = await launchCall(cloud, {
      offerings: names.flatMap((name) => offerings(name, 'eu-west-3a')),
    });
    const [large, other, xlarge] = request.overrides.map(({ launchTemplate }) => launchTemplate?.id);
    expect(other).toBe(large);
    expect(xlarge).not.toBe(large);
    const texts = sent(aws, 'ec2:CreateLaunchTemplate').map((fields) =>
      Buffer.from(fields['LaunchTemplateData.UserData'] ?? '', 'base64').toString(),
    );
    expect(texts.map((text) => /maxPods: (\d+)/.exec(text)?.[1]).sort()).toEqual(['29', '58']);
  });

  test('tags and context of the node class, which the durable request carries', async () => {
    const { aws, cloud } = simulatedWorld();
    const nodeClass = ec2NodeClass({ tags: { team: 'a', Name: 'mine' }, context: 'ctx-1' });
    const call = await launchCall(cloud, { nodeClass });
    expect(call.request).toMatchObject({
      tags: new Map([
        ['team', 'a'],
        ['Name', 'mine'],
      ]),
      context: 'ctx-1',
    });
    const answer = await cloud.launch({ ...call, tags: new Map([...TAGS, ['Name', 'general']]) });
    expect(sent(aws, CREATE_FLEET)[0]?.['Context']).toBe('ctx-1');
    const [instance] = await cloud.instances(TAGS);
    expect([...(instance?.tags ?? [])].filter(([key]) => !key.startsWith('aws:')).sort()).toEqual([
      ['Name', 'mine'],
      ['berth.sh/cluster', 'cluster-1'],
      ['berth.sh/launch-group', 'group-1'],
      ['team', 'a'],
    ]);
    expect(answer.instances.map(({ tags }) => tags.get('Name'))).toEqual(['mine']);
  });

  test('of two subnets in a zone the one with more free addresses, those just given away not counted', async () => {
    const { aws, cloud } = simulatedWorld();
    const terms = [{ tags: { Name: '*' } }];
    const nodeClass = ec2NodeClass({ subnetSelectorTerms: terms });
    const one = offerings('m5.large', FIRST_ZONE);
    const subnets = new Set<string | undefined>();
    for (const token of ['a', 'b']) {
      const call = await launchCall(cloud, { nodeClass, offerings: one, size: 3 });
      subnets.add(call.request.overrides[0]?.subnetID);
      await cloud.launch({ ...call, token });
    }
    expect(subnets.size).toBe(2);
    expect(aws.instances()).toHaveLength(6);
  });

  test('not the subnet that was full a moment ago, whatever EC2 said of it before', async () => {
    const { aws, cloud } = simulatedWorld();
    const ask = () =>
      launchCall(cloud, {
        nodeClass: ec2NodeClass({ subnetSelectorTerms: [{ tags: { Name: '*' } }] }),
        offerings: offerings('m5.large', FIRST_ZONE),
      });
    const call = await ask();
    const full = call.request.overrides[0]?.subnetID ?? '';
    aws.setFreeAddresses(full, 0);
    expect((await cloud.launch(call)).instances).toEqual([]);
    expect((await ask()).request.overrides[0]?.subnetID).not.toBe(full);
  });

  test('nothing where no image suits', async () => {
    const { cloud } = simulatedWorld();
    const nodeClass = ec2NodeClass({
      amiSelectorTerms: [{ name: 'golden-x86_64-*', owner: 'self' }],
      amiFamily: 'Custom',
    });
    const mixed = [...offerings('m7g.large', FIRST_ZONE), ...offerings('m5.large', FIRST_ZONE)];
    const { request } = await launchCall(cloud, { nodeClass, offerings: mixed });
    expect(request.overrides.map(({ instanceType }) => instanceType)).toEqual(['m5.large']);
    const arm = launchCall(cloud, { nodeClass, offerings: offerings('m7g.large', FIRST_ZONE) });
    await expect(arm).rejects.toMatchObject({
      code: 'Invalid',
      message: 'launch from EC2NodeClass default: no image matches arm64 instance types such as m7g.large',
    });
  });
});

describe('what comes of the answer', () => {
  test('instances with their image, zone and tags, as they are listed a moment later', async () => {
    const { cloud, clock } = simulatedWorld();
    const { instances } = await cloud.launch(await launchCall(cloud, { size: 2 }));
    expect(instances.map(({ state }) => state)).toEqual(['pending', 'pending']);
    await clock.advance(20_000);
    const listed = await cloud.instances(TAGS);
    expect(listed.map(({ state }) => state)).toEqual(['running', 'running']);
    const facts = (all: typeof instances) =>
      all.map(({ id, providerID, imageID, instanceType, zone }) => [
        id,
        providerID,
        imageID,
        instanceType,
        zone,
      ]);
    expect(facts(listed)).toEqual(facts(instances));
  });

  test('a subnet without addresses is told for the offerings in it', async () => {
    const { aws, cloud } = simulatedWorld();
    const call = await launchCall(cloud, { offerings: offerings('m5.large', FIRST_ZONE) });
    aws.setFreeAddresses(call.request.overrides[0]?.subnetID ?? '', 0);
    const answer = await cloud.launch(call);
    expect(answer.instances).toEqual([]);
    expect(codes(answer)).toEqual(['a InsufficientFreeAddressesInSubnet']);
  });

  test('everything refused is an answer with every offering in it, however often EC2 complains', async () => {
    const { aws, cloud } = simulatedWorld();
    aws.setStock({}, 0);
    const answer = await cloud.launch(await launchCall(cloud, { capacityType: 'spot', size: 5 }));
    expect(answer.instances).toEqual([]);
    expect(codes(answer)).toEqual(['a', 'b', 'c'].map((zone) => `${zone} InsufficientInstanceCapacity`));
  });

  test('being throttled inside an answer is told under its own name: it is no shortage', async () => {
    const { aws, cloud } = simulatedWorld();
    const fault = { kind: 'offering', pool: { zone: FIRST_ZONE }, code: 'RequestLimitExceeded' } as const;
    aws.faults.add({ action: CREATE_FLEET, fault });
    const call = await launchCall(cloud, { offerings: offerings('m5.large', FIRST_ZONE) });
    expect(codes(await cloud.launch(call))).toEqual(['a RequestLimitExceeded']);
  });

  test('a launch template that somebody deleted is made again by the next attempt', async () => {
    const { aws, cloud, clients } = simulatedWorld();
    const call = await launchCall(cloud);
    const { DeleteLaunchTemplateCommand } = await import('@aws-sdk/client-ec2');
    const LaunchTemplateId = call.request.overrides[0]?.launchTemplate?.id;
    await clients.call('DeleteLaunchTemplate', (client, options) =>
      client.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }), options),
    );
    const failed = await cloud.launch(call).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(PortError);
    const again = await launchCall(cloud);
    const { instances } = await cloud.launch({ ...again, token: 'token-2' });
    expect(instances).toHaveLength(1);
    expect(aws.log.count('ec2:CreateLaunchTemplate')).toBeGreaterThan(1);
  });
});

describe('when calls go wrong', () => {
  test.each(['lost-answer', 'reset-after'] as const)(
    'a launch whose answer is lost (%s) is asked for again by its token, and buys once',
    async (kind) => {
      const { aws, cloud, clock } = simulatedWorld();
      const call = await launchCall(cloud, { size: 2 });
      aws.faults.add({ action: CREATE_FLEET, nth: 1, fault: { kind } });
      const answer = await outcomeOf(clock, cloud.launch(call));
      expect(answer).toMatchObject({ instances: [{}, {}], failures: [] });
      expect(aws.instances()).toHaveLength(2);
      expect(aws.log.count(CREATE_FLEET)).toBe(2);
    },
  );

  test('when no answer ever comes, nobody knows, and asking again later finds the instances', async () => {
    const { aws, cloud, clock } = simulatedWorld();
    const call = await launchCall(cloud, { size: 2 });
    const undo = aws.faults.add({ action: CREATE_FLEET, fault: { kind: 'lost-answer' } });
    expect(await outcomeOf(clock, cloud.launch(call))).toMatchObject({ code: 'TimedOut', retryable: true });
    undo();
    const { instances } = await cloud.launch(call);
    expect(instances.map(({ id }) => id)).toEqual(aws.instances().map(({ id }) => id));
    expect(instances).toHaveLength(2);
  });

  test('a throttled launch waits and is asked for again', async () => {
    const { aws, cloud, clock } = simulatedWorld();
    const call = await launchCall(cloud);
    aws.faults.add({ action: CREATE_FLEET, times: 2, fault: { kind: 'throttle' } });
    const startedAt = clock.monotonic();
    expect(await outcomeOf(clock, cloud.launch(call))).toMatchObject({ instances: [{}] });
    expect(clock.monotonic() - startedAt).toBeGreaterThanOrEqual(1000);
  });

  test('one that is throttled for good fails as that, and has bought nothing', async () => {
    const { aws, cloud, clock } = simulatedWorld();
    const call = await launchCall(cloud);
    aws.faults.add({ action: CREATE_FLEET, fault: { kind: 'throttle' } });
    expect(await outcomeOf(clock, cloud.launch(call))).toMatchObject({
      code: 'RateLimited',
      retryable: true,
    });
    expect(aws.instances()).toEqual([]);
  });
});

test('on-demand and spot instances are told apart', async () => {
  const { cloud } = simulatedWorld();
  for (const capacityType of ['spot', 'on-demand'] as const)
    await cloud.launch({ ...(await launchCall(cloud, { capacityType })), token: capacityType });
  const listed = await cloud.instances(TAGS);
  expect(listed.map(({ capacityType }) => capacityType)).toEqual(['spot', 'on-demand']);
  expect(listed.every(({ zone }) => ZONES.includes(zone))).toBe(true);
  expect(listed[0]?.securityGroupIDs).toHaveLength(1);
});
