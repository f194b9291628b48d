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
