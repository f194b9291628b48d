/** Nodes of capacity blocks, as the blocks near their end. */
import { takenBackAt } from '../../../src/controllers/node-claim/taken-back.js';
import { PortError } from '../../../src/ports/port-error.js';
import { withClaimCondition } from '../../support/builders/disruption-input.js';
import { blocks, MINUTE } from './capacity-blocks.js';

test('the nodes of a capacity block are interrupted ten minutes before EC2 terminates its instances', async () => {
  const world = blocks({
    a: ['cr-1', 'capacity-block'],
    b: ['cr-1', 'capacity-block'],
    c: ['cr-2', 'capacity-block'],
  });
  world.ends.set('cr-1', world.clock.now() + 15 * MINUTE);
  const abort = new AbortController();
  void world.controller.run(abort.signal);
  await world.clock.advance(5 * MINUTE - 1000);
  expect(world.interrupted()).toEqual([]);
  await world.clock.advance(11_000);
  expect(world.interrupted()).toEqual(['a', 'b']);
  expect(world.told.decisions.map(({ reason }) => reason)).toEqual([
    'CapacityBlockEnding',
    'CapacityBlockEnding',
  ]);
  abort.abort();
});

test('the cloud is asked once a minute, at once for another block, and not at all without any', async () => {
  const none = blocks({ a: ['cr-1', 'default'] });
  await none.controller.look(new AbortController().signal);
  expect(none.asked).toEqual([]);
  const world = blocks({ a: ['cr-1', 'capacity-block'] });
  const { signal } = new AbortController();
  await world.controller.look(signal);
  await world.clock.advance(50_000);
  await world.controller.look(signal);
  expect(world.asked).toEqual([['cr-1']]);
  await world.clock.advance(10_000);
  await world.controller.look(signal);
  expect(world.asked).toHaveLength(2);
});

test('what the cloud does not answer is asked again, and a block that was extended keeps its nodes', async () => {
  const world = blocks({ a: ['cr-1', 'capacity-block'] });
  const abort = new AbortController();
  world.ends.set('cr-1', world.clock.now() + 12 * MINUTE);
  void world.controller.run(abort.signal);
  await world.clock.advance(1000);
  world.ends.set('cr-1', world.clock.now() + 60 * MINUTE);
  world.failing.error = new PortError('Unavailable', { operation: 'x', message: 'no answer' });
  await world.clock.advance(75_000);
  world.failing.error = undefined;
  await world.clock.advance(5 * MINUTE);
  expect(world.interrupted()).toEqual([]);
  abort.abort();
});

test('a node that goes for its maintenance already is told of the end of its block all the same, and once', async () => {
  const world = blocks({ a: ['cr-1', 'capacity-block'] });
  const now = world.clock.now();
  const maintained = withClaimCondition('Interrupted', now).conditions.map((condition) => ({
    ...condition,
    reason: 'ScheduledChange',
  }));
  const claim = world.claim('a');
  world.put({ ...claim, deletionTimestamp: now, status: { ...claim.status, conditions: maintained } });
  world.ends.set('cr-1', now + 6 * MINUTE);
  const { signal } = new AbortController();
  await world.controller.look(signal);
  await world.clock.advance(MINUTE);
  await world.controller.look(signal);
  expect(world.told.decisions.map(({ reason }) => reason)).toEqual(['CapacityBlockEnding']);
  // Its instance is taken at the end of the block, however late that was noticed.
  expect(takenBackAt(world.claim('a'))).toBe(now + 6 * MINUTE);
});
