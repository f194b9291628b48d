import { AwsDiscovery } from '../../../../../src/clouds/aws/adapter/discovery/aws-discovery.js';
import { imageFor } from '../../../../../src/clouds/aws/adapter/discovery/choose-images.js';
import { LiveCatalogue } from '../../../../../src/clouds/aws/adapter/prices/live-catalogue.js';
import { Catalogue, catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import { AwsSimulator } from '../../../../../world/aws/aws-simulator.js';
import { createMetrics } from '../../../../../src/runtime/metrics/metrics.js';
import { clientsOf, settled } from '../../../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { recordingLogger } from '../../../../support/recording-logger.js';
import { seededRandom } from '../../../../../world/seeded-random.js';

const DEMO = [{ tags: { 'karpenter.sh/discovery': 'berth-demo' } }];

/** Every twelfth type, large and small, of all kinds. */
const SAMPLE = catalogueFor('eu-west-3').entries.filter((_, index) => index % 12 === 0);

const ZONE_IDS = new Map([
  ['eu-west-3a', 'euw3-az1'],
  ['eu-west-3b', 'euw3-az2'],
  ['eu-west-3c', 'euw3-az3'],
]);

function setUp() {
  const clock = new VirtualClock();
  const catalogue = new Catalogue({ region: 'eu-west-3', entries: SAMPLE });
  const simulator = new AwsSimulator({ clock, random: seededRandom(1), catalogue, spotPriceMovement: 0 });
  const clients = clientsOf(simulator, { clock });
  return { clock, simulator, clients };
}

test('what a cloud made of the embedded catalogue says is the embedded catalogue, with its estimates quoted', async () => {
  const { clock, simulator, clients } = setUp();
  const log = recordingLogger();
  const metrics = createMetrics();
  const live = new LiveCatalogue({ clients, clock, logger: log.logger, metrics });
  await settled(clock, live.refresh());
  simulator.close();
  expect(log.lines).toEqual([]);
  const quoted = SAMPLE.map(({ facts, offerings }) => ({
    facts,
    offerings: offerings.map((offering) => ({
      ...offering,
      zoneID: ZONE_IDS.get(offering.zone),
      estimated: false,
    })),
  }));
  const found = live.current().entries.map(({ facts, offerings }) => ({ facts, offerings }));
  expect(found.map(({ facts }) => facts)).toEqual(quoted.map(({ facts }) => facts));
  expect(found.map(({ offerings }) => offerings)).toEqual(quoted.map(({ offerings }) => offerings));
});

test('prices with Windows are asked for once a node class has it, and then they are those of Windows', async () => {
  const { clock, simulator, clients } = setUp();
  const log = recordingLogger();
  const live = new LiveCatalogue({ clients, clock, logger: log.logger, metrics: createMetrics() });
  const windows = ec2NodeClass({ amiSelectorTerms: [{ alias: 'windows2022@latest' }] });
  const asked = (): readonly string[] =>
    simulator.log
      .recent('pricing:GetProducts')
      .map(({ body }) => (body.includes('"Windows"') ? 'Windows' : 'Linux'));
  await settled(clock, live.refresh());
  expect(asked()).not.toContain('Windows');
  live.current().forNodeClass(windows);
  await settled(clock, live.refresh());
  expect(asked()).toContain('Windows');
  expect(log.lines).toEqual([]);
  const linux = new Map(live.current().instanceTypes.map(({ name, offerings }) => [name, offerings]));
  const types = live.current().forNodeClass(windows);
  simulator.close();
  expect(types.length).toBeGreaterThan(10);
  for (const { name, offerings } of types)
    for (const { zone, capacityType, price, estimated } of offerings) {
      const vcpu = SAMPLE.find(({ facts }) => facts.name === name)?.facts.vcpu ?? 0;
      const plain = linux.get(name)?.find((each) => each.zone === zone && each.capacityType === capacityType);
      const licensed =
        capacityType === 'spot' ? (plain?.price ?? 0) + 0.05 * vcpu : (plain?.price ?? 0) * 1.5;
      expect([name, capacityType, estimated, price]).toEqual([
        name,
        capacityType,
        false,
        expect.closeTo(licensed, 4) as number,
      ]);
    }
});

test('prices of dedicated instances are asked for once a NodePool has them, and types without one are not offered', async () => {
  const { clock, simulator, clients } = setUp();
  const log = recordingLogger();
  const live = new LiveCatalogue({ clients, clock, logger: log.logger, metrics: createMetrics() });
  await settled(clock, live.refresh());
  const before = simulator.log.recent('pricing:GetProducts').length;
  live.current().forNodeClass(ec2NodeClass(), 'dedicated');
  await settled(clock, live.refresh());
  expect(simulator.log.recent('pricing:GetProducts').length).toBeGreaterThan(before);
  expect(log.lines).toEqual([]);
  const shared = new Map(
    live.current().instanceTypes.map(({ name, offerings, labels }) => [name, { offerings, labels }]),
  );
  const types = live.current().forNodeClass(ec2NodeClass(), 'dedicated');
  simulator.close();
  const inCents = (price = 0): number => Math.round(price * 1000);
  const onDemand = types.flatMap(({ name, offerings }) =>
    offerings
      .filter(({ capacityType }) => capacityType === 'on-demand')
      .map(({ price, estimated }) => [name, inCents(price), estimated]),
  );
  const wanted = [...shared].flatMap(([name, { offerings, labels }]) =>
    offerings
      .filter(({ capacityType }) => capacityType === 'on-demand' && !name.startsWith('t2.'))
      .map(({ price }) => {
        const isMetal = labels.get('karpenter.k8s.aws/instance-hypervisor') === '';
        return [name, inCents(price * (isMetal ? 1 : 1.1)), false];
      }),
  );
  expect(onDemand).toEqual(wanted);
  expect(types.length).toBe(shared.size);
});

test('in China prices are read in yuan', async () => {
  const region = 'cn-north-1';
  const clock = new VirtualClock();
  const entries = SAMPLE.map((entry) => ({
    ...entry,
    offerings: entry.offerings.map((offering) => ({
      ...offering,
      zone: offering.zone.replace('eu-west-3', region),
      price: offering.price * 10,
    })),
  }));
  const simulator = new AwsSimulator({
    ...{ clock, random: seededRandom(1), catalogue: new Catalogue({ region, entries }) },
    ...{ region, spotPriceMovement: 0 },
  });
  const clients = clientsOf(simulator, { clock, region });
  const log = recordingLogger();
  const live = new LiveCatalogue({ clients, clock, logger: log.logger, metrics: createMetrics() });
  await settled(clock, live.refresh());
  simulator.close();
  expect(log.lines).toEqual([]);
  const pricesOf = (all: Catalogue['entries']) =>
    all.map(({ facts, offerings }) => [
      facts.name,
      offerings
        .filter(({ zone }) => zone.endsWith('a'))
        .map(({ price }) => expect.closeTo(price, 5) as number),
    ]);
  expect(
    live
      .current()
      .entries.map(({ facts, offerings }) => [
        facts.name,
        offerings.filter(({ zone }) => zone.endsWith('a')).map(({ price }) => price),
      ]),
  ).toEqual(pricesOf(entries));
  expect(
    live
      .current()
      .entries.flatMap(({ offerings }) => offerings)
      .some(({ estimated }) => estimated),
  ).toBe(false);
});

test('the demo cluster has a subnet in each zone, and images for every kind of instance', async () => {
  const { clock, simulator, clients } = setUp();
  const discovery = new AwsDiscovery({
    clients,
    clock,
    kubernetesVersion: () => Promise.resolve('1.36'),
    clusterUID: () => 'uid',
  });
  const found = await discovery.resolve(
    ec2NodeClass({ subnetSelectorTerms: DEMO, securityGroupSelectorTerms: DEMO }),
  );
  expect(found.problems).toEqual([]);
  expect(found.subnets.map(({ zone }) => zone).sort()).toEqual(['eu-west-3a', 'eu-west-3b', 'eu-west-3c']);
  expect(found.securityGroups).toHaveLength(1);
  for (const arch of ['amd64', 'arm64'])
    expect(imageFor(found.images, { arch, hasGpu: true, hasAccelerator: false })).toMatchObject({
      arch,
      variants: ['nvidia'],
    });
  simulator.close();
});

test('a newly published image is found within a minute, and it alone', async () => {
  const { clock, simulator, clients } = setUp();
  const discovery = new AwsDiscovery({
    clients,
    clock,
    kubernetesVersion: () => Promise.resolve('1.36'),
    clusterUID: () => 'uid',
  });
  const source = ec2NodeClass({ subnetSelectorTerms: DEMO, securityGroupSelectorTerms: DEMO });
  const before = await discovery.resolve(source);
  clock.freeze(60_000);
  const published = simulator.publishImage({ family: 'AL2023', kubernetesVersion: '1.36' });
  const after = await discovery.resolve(source);
  simulator.close();
  expect(after.images.map(({ id }) => id).sort()).toEqual(published.map(({ id }) => id).sort());
  expect(before.images.some(({ id }) => published.some((image) => image.id === id))).toBe(false);
});
