/** `--mode observe` beside a modelled Karpenter: it changes nothing, and what it found survives it. */
import { seededRandom } from '../../../world/seeded-random.js';
import type { Observation } from '../../../src/domain/records/observation.js';
import { forbidden, observedWorld, type ObservedWorld } from './observed-world.js';
import { live, simulatedDay } from './simulated-day.js';
import { deployment } from '../../scenario/objects.js';

const HOUR = 3_600_000;

let it: ObservedWorld;

afterEach(async () => {
  await it.karpenter.stop();
  await it.world.close();
});

/** USD/h of the other system's nodes, on average since the beginning: as Berth found it, and as it was. */
function rates({ total }: Observation): { readonly seen: number; readonly paid: number } {
  const { bill, midnight, world } = it;
  const now = world.clock.now();
  const hours = (now - midnight) / HOUR;
  return { seen: (total.currentUsd / total.seconds) * 3600, paid: bill.between(midnight, now) / hours };
}

function found(): Observation {
  const observation = it.observation();
  if (observation === undefined) throw new Error('nothing was observed');
  return observation;
}

test('Berth asks for no change but of its own records, reports both sides, and continues after a restart', async () => {
  it = await observedWorld({ seed: 1, flags: { 'observe-interval': '1200' } });
  const { world, midnight, karpenter } = it;
  const day = simulatedDay(seededRandom(1), { from: 0, to: 2 });
  await live(world, day, { midnight, from: 0, to: 0.75 * HOUR });
  const before = found();
  expect(before.now).toMatchObject({ currentNodes: karpenter.size, unpricedNodes: 0 });
  expect(before.periods.length).toBe(3);
  await world.stopBerth();
  await world.clock.advance(60_000);
  world.startBerth();
  await live(world, day, { midnight, from: 0.75 * HOUR, to: 1.5 * HOUR });
  const after = found();
  expect(after.since).toBe(before.since);
  expect(after.total.seconds).toBeGreaterThan(before.total.seconds + 0.5 * 3600);

  const { seen, paid } = rates(after);
  expect(seen / paid).toBeGreaterThan(0.9);
  expect(seen / paid).toBeLessThan(1.1);
  expect(after.total.berthUsd).toBeLessThan(after.total.currentUsd);
  expect(after.total.berthLaunches).toBeGreaterThan(0);
  await expectNoChange();
}, 600_000);

async function expectNoChange(): Promise<void> {
  const { world, changes } = it;
  expect(forbidden(changes)).toEqual([]);
  expect((await world.berth.metrics.refusedChanges.get()).values).toEqual([]);
  const told = (await world.decisions()).filter(({ reason }) => reason === 'Observed');
  expect(told.length).toBeGreaterThanOrEqual(3);
  const policies = (await world.policies()).map(({ name }) => name).sort();
  expect(policies).toEqual(['ec2nodeclass.default', 'nodepool.general', 'observation.cluster']);
  expect(await world.claims()).toEqual([]);
}

test('beside EKS Auto Mode, pods that select its labels have places on nodes of its NodePools', async () => {
  it = await observedWorld({ seed: 1, flags: { 'observe-interval': '60' }, isAutoMode: true });
  const { world, karpenter, changes } = it;
  const nodeSelector = {
    'eks.amazonaws.com/compute-type': 'auto',
    'eks.amazonaws.com/instance-category': 'm',
  };
  await world.apply([deployment({ name: 'web', replicas: 4, pod: { nodeSelector } })]);
  await world.clock.advance(400_000);
  const before = found();
  expect(before).toMatchObject({ system: 'auto-mode', now: { unpricedNodes: 0, unplacedPods: 0 } });
  expect(before.now.currentNodes).toBe(karpenter.size);
  expect(karpenter.size).toBeGreaterThan(0);
  await world.apply([deployment({ name: 'web', replicas: 40, pod: { nodeSelector } })]);
  await world.clock.advance(200_000);
  const { now, total } = found();
  expect(total.berthLaunches).toBeGreaterThan(0);
  expect(now.unplacedPods).toBe(0);
  expect(forbidden(changes)).toEqual([]);
  const policies = (await world.policies()).map(({ name }) => name).sort();
  expect(policies).toEqual(['ec2nodeclass.auto-mode-default', 'nodepool.general', 'observation.cluster']);
}, 600_000);
