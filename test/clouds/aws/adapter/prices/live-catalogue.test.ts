import { LiveCatalogue } from '../../../../../src/clouds/aws/adapter/prices/live-catalogue.js';
import { catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import { createMetrics } from '../../../../../src/runtime/metrics/metrics.js';
import { clientsOf, settled } from '../../../../support/builders/aws-clients.js';
import { ec2Error, type FakeAws } from '../../../../support/fake-aws.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';
import { recordingLogger } from '../../../../support/recording-logger.js';
import { marketOf, product, typeXml, type Market } from './price-list.js';

const A = 'eu-west-3a';
const B = 'eu-west-3b';
const MARKET: Market = {
  types: [typeXml('m5.large'), typeXml('m99.large', { vcpu: 4, memoryMiB: 16_384 })],
  offerings: [
    ['m5.large', B],
    ['m5.large', A],
    ['m99.large', A],
  ],
  products: [product('m5.large', '0.1120000000'), product('m99.large', '0.2240000000')],
  spot: [
    ['m5.large', A, '0.040000', '2026-01-01T00:00:00.000Z'],
    ['m5.large', A, '0.050000', '2025-12-31T00:00:00.000Z'],
    ['m5.large', B, '0.045000', '2026-01-01T00:00:00.000Z'],
  ],
};
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function setUp(aws: FakeAws, isolatedVPC = false) {
  const clock = new VirtualClock();
  const log = recordingLogger();
  const metrics = createMetrics();
  const clients = clientsOf(aws, { clock, metrics });
  const live = new LiveCatalogue({ clients, clock, logger: log.logger, metrics, isolatedVPC });
  return { clock, log, metrics, live };
}

function refresh({ live, clock }: { live: LiveCatalogue; clock: VirtualClock }): Promise<void> {
  return settled(clock, live.refresh());
}

/** `type/zone/capacity type` → price, of everything offered. */
function pricesOf(live: LiveCatalogue): Readonly<Record<string, number>> {
  return Object.fromEntries(
    live
      .current()
      .entries.flatMap(({ facts, offerings }) =>
        offerings.map(({ zone, capacityType, price }) => [`${facts.name}/${zone}/${capacityType}`, price]),
      ),
  );
}

const QUOTED = {
  'm5.large/eu-west-3a/on-demand': 0.112,
  'm5.large/eu-west-3a/spot': 0.04,
  'm5.large/eu-west-3b/on-demand': 0.112,
  'm5.large/eu-west-3b/spot': 0.045,
  'm99.large/eu-west-3a/on-demand': 0.224,
};

test('it begins as the embedded catalogue, before anybody was asked', () => {
  const { live } = setUp(marketOf(MARKET));
  expect(live.current().entries).toEqual(catalogueFor('eu-west-3').entries);
});

test('after a refresh it is what AWS has: types, zones and prices', async () => {
  const world = setUp(marketOf(MARKET));
  await refresh(world);
  expect(pricesOf(world.live)).toEqual(QUOTED);
});

test('offerings have the ids of their zones, as the subnets of the account tell them', async () => {
  const world = setUp(marketOf({ ...MARKET, pageSize: 1 }));
  await refresh(world);
  const [m5] = world.live.current().instanceTypes;
  expect(m5?.offerings.map(({ zone, zoneID }) => [zone, zoneID])).toEqual([
    [A, `az-of-${A}`],
    [A, `az-of-${A}`],
    [B, `az-of-${B}`],
    [B, `az-of-${B}`],
  ]);
});

test('lists of many pages are read to the end', async () => {
  const world = setUp(marketOf({ ...MARKET, pageSize: 1 }));
  await refresh(world);
  expect(pricesOf(world.live)).toEqual(QUOTED);
});

test.each([
  ['DescribeInstanceTypes', 'types'],
  ['DescribeInstanceTypeOfferings', 'zones'],
  ['GetProducts', 'onDemand'],
  ['DescribeSpotPriceHistory', 'spot'],
])('when %s fails, the other parts are taken over, and it is counted and logged', async (operation, part) => {
  const aws = marketOf(MARKET).answer(operation, ec2Error('UnauthorizedOperation', 403));
  const world = setUp(aws);
  await refresh(world);
  expect(world.live.current().entries.length).toBeGreaterThan(0);
  expect(pricesOf(world.live)).not.toEqual(QUOTED);
  const { values } = await world.metrics.catalogueFailures.get();
  expect(values).toMatchObject([{ labels: { part }, value: 1 }]);
  expect(world.log.lines).toMatchObject([
    {
      level: 'warn',
      message: 'Failed to refresh the instance type catalogue; keeping the last data',
      fields: { part },
    },
  ]);
});

test.each([
  'DescribeInstanceTypes',
  'DescribeInstanceTypeOfferings',
  'GetProducts',
  'DescribeSpotPriceHistory',
])('when %s fails later, what it said last stays', async (operation) => {
  const aws = marketOf(MARKET);
  const world = setUp(aws);
  await refresh(world);
  aws.answer(operation, ec2Error('UnauthorizedOperation', 403));
  world.clock.freeze(13 * HOUR);
  await refresh(world);
  expect(pricesOf(world.live)).toEqual(QUOTED);
});

test('an empty answer counts as a failure: no region has no instances', async () => {
  const world = setUp(marketOf({ ...MARKET, spot: [] }));
  await refresh(world);
  expect(pricesOf(world.live)).toMatchObject({ 'm5.large/eu-west-3a/spot': 0.04256 });
  expect(world.log.lines).toHaveLength(1);
});

test('when nothing can be had the catalogue is the very same', async () => {
  const aws = marketOf({});
  const world = setUp(aws);
  const before = world.live.current();
  await refresh(world);
  expect(world.live.current()).toBe(before);
});

test('a part that failed is asked for again in two minutes, and its return is told', async () => {
  const aws = marketOf(MARKET).answer('DescribeSpotPriceHistory', ec2Error('UnauthorizedOperation', 403));
  const world = setUp(aws);
  await refresh(world);
  world.clock.freeze(MINUTE);
  await refresh(world);
  expect(aws.askedFor('DescribeSpotPriceHistory')).toHaveLength(1);
  world.clock.freeze(MINUTE);
  await refresh(world);
  expect(aws.askedFor('DescribeSpotPriceHistory')).toHaveLength(2);
  expect(world.log.lines).toHaveLength(1);
});

test('spot prices are refreshed more often than anything else', async () => {
  const aws = marketOf(MARKET);
  const world = setUp(aws);
  await refresh(world);
  world.clock.freeze(10 * MINUTE);
  await refresh(world);
  expect(aws.askedFor('DescribeSpotPriceHistory')).toHaveLength(2);
  expect(aws.askedFor('DescribeInstanceTypes')).toHaveLength(1);
  expect(aws.askedFor('DescribeInstanceTypeOfferings')).toHaveLength(1);
  world.clock.freeze(HOUR);
  await refresh(world);
  expect(aws.askedFor('DescribeInstanceTypeOfferings')).toHaveLength(2);
  expect(aws.askedFor('DescribeInstanceTypes')).toHaveLength(1);
});

test('the price list is asked for bare metal, too, and for the region, under the region that answers for Europe', async () => {
  const aws = marketOf(MARKET);
  await refresh(setUp(aws));
  const asked = aws.askedFor('GetProducts');
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked[0]?.fields)).toContain('"Field":"regionCode","Value":"eu-west-3"');
  expect(JSON.stringify(asked[1]?.fields)).toContain('Compute Instance (bare metal)');
  expect(asked[0]?.headers['authorization']).toContain('/eu-central-1/pricing/');
});

test('in an isolated VPC the price list is not asked at all', async () => {
  const aws = marketOf(MARKET);
  const world = setUp(aws, true);
  await refresh(world);
  expect(aws.askedFor('GetProducts')).toEqual([]);
  expect(pricesOf(world.live)).toMatchObject({ 'm5.large/eu-west-3a/spot': 0.04 });
});

test('a price list that never answers does not keep the rest waiting', async () => {
  const aws = marketOf(MARKET).answer('GetProducts', () => new Promise(() => undefined));
  const { live, clock } = setUp(aws);
  const abort = new AbortController();
  const refreshing = live.refresh(abort.signal);
  for (let turn = 0; turn < 20; turn++) await clock.settle();
  expect(pricesOf(live)).toMatchObject({ 'm5.large/eu-west-3a/spot': 0.04 });
  abort.abort();
  await expect(refreshing).rejects.toThrow();
});

test('an aborted signal ends a refresh, and nothing counts as a failure', async () => {
  const aws = marketOf(MARKET).answer('GetProducts', () => new Promise(() => undefined));
  const { live, clock, log } = setUp(aws);
  const abort = new AbortController();
  const refreshing = live.refresh(abort.signal);
  await clock.settle();
  abort.abort();
  await expect(refreshing).rejects.toThrow();
  expect(log.lines).toEqual([]);
});

test('it refreshes by itself until it is stopped', async () => {
  const aws = marketOf(MARKET);
  const { live, clock } = setUp(aws);
  const stop = new AbortController();
  const running = live.run(stop.signal);
  for (let minute = 0; minute < 11; minute++) {
    for (let turn = 0; turn < 10; turn++) await clock.settle();
    await clock.advance(MINUTE);
  }
  stop.abort();
  await running;
  expect(aws.askedFor('DescribeSpotPriceHistory')).toHaveLength(2);
});
