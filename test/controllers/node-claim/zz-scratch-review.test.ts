import { ClaimWorld } from './claim-world.js';
const names = (count: number, first = 1): readonly string[] =>
  Array.from({ length: count }, (_, index) => `general-${String(first + index)}`);
test('E trial with ICE', async () => {
  const world = new ClaimWorld({ limits: { registrationFailures: 3 } });
  for (const type of ['m6i.large', 'm5.large', 'm6a.large']) world.deaf.add(type);
  const berth = world.start();
  await world.launchGroup(names(3));
  await world.seconds(950);
  console.log('E problem', berth.safeguards.breaker.problem('general'));
  world.deaf.clear();
  await world.seconds(400);
  world.cloud.stock.set({ capacityType: 'spot' }, 0);
  await world.launchGroup(['general-20'], {}, 'trial');
  for (let i = 0; i < 9; i++) {
    await world.seconds(40);
    const c = world.claim('general-20');
    console.log('E', (i + 1) * 40, c?.deletionTimestamp, c?.status.capacityType, c?.status.launch?.attempt, c?.status.launch?.error, world.reasons().slice(-2).join());
  }
});
