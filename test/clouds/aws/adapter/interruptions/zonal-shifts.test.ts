/** Zonal shifts of the cluster, as the simulated ARC tells them. */
import { Catalogue } from '../../../../../src/clouds/aws/catalogue/catalogue.js';
import { catalogueFor } from '../../../../../src/clouds/aws/catalogue/index.js';
import { ClusterSource, zonalShifts } from '../../../../../src/clouds/aws/adapter/index.js';
import type { ZonalShifts } from '../../../../../src/ports/zonal-shifts.js';
import { simulatedWorld, type SimulatedWorld } from '../simulated-world.js';

const ZONE_IDS: Readonly<Record<string, string>> = { 'eu-west-3a': 'euw3-az1', 'eu-west-3b': 'euw3-az2' };
const { region, entries } = catalogueFor('eu-west-3');
const CATALOGUE = new Catalogue({
  region,
  entries: entries
    .filter(({ facts }) => facts.name === 'm5.large')
    .map((entry) => ({
      ...entry,
      offerings: entry.offerings.map((offering) => ({ ...offering, zoneID: ZONE_IDS[offering.zone] })),
    })),
});

function shiftsOf({ clients, clock }: SimulatedWorld): ZonalShifts {
  const cluster = new ClusterSource({ clients, clock, cluster: { name: 'berth-demo' } });
  return zonalShifts({ clients, cluster, catalogue: () => CATALOGUE });
}

test('a zonal shift and an autoshift name their zone as long as they are in force', async () => {
  const world = simulatedWorld();
  const shifts = shiftsOf(world);
  expect(await shifts.current()).toEqual([]);
  world.aws.shiftAway('euw3-az2');
  expect(await shifts.current()).toEqual([{ zone: 'eu-west-3b', zoneID: 'euw3-az2' }]);
  world.aws.shiftAway('euw3-az1', 'autoshift');
  expect(await shifts.current()).toEqual([{ zone: 'eu-west-3a', zoneID: 'euw3-az1' }]);
  world.aws.shiftAway(undefined);
  expect(await shifts.current()).toEqual([]);
});

test('a zone that the catalogue does not know keeps its id', async () => {
  const world = simulatedWorld();
  world.aws.shiftAway('euw3-az3');
  expect(await shiftsOf(world).current()).toEqual([{ zone: 'euw3-az3', zoneID: 'euw3-az3' }]);
});

test('a cluster that is not registered with ARC is shifted away from no zone', async () => {
  const { clients } = simulatedWorld();
  const cluster = { arn: () => Promise.resolve('arn:aws:eks:eu-west-3:000000000000:cluster/another') };
  expect(await zonalShifts({ clients, cluster, catalogue: () => CATALOGUE }).current()).toEqual([]);
});

test('a missing permission is named', async () => {
  const world = simulatedWorld();
  world.aws.deny('arc-zonal-shift:GetManagedResource');
  await expect(shiftsOf(world).current()).rejects.toMatchObject({
    code: 'Forbidden',
    message: expect.stringContaining('arc-zonal-shift:GetManagedResource') as string,
  });
});
