import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage } from '../../../src/app/service/run-controller.js';

test('what nothing refers to is gone, what something refers to is not', async () => {
  const kept = { name: 'kept' };
  const [lost, held] = [new WeakRef({ name: 'lost' }), new WeakRef(kept)];
  // A WeakRef keeps its object until the turn ends.
  await nextTurn();
  collectGarbage();
  expect(lost.deref()).toBeUndefined();
  expect(held.deref()).toBe(kept);
});
