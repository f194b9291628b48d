/** Pods that were moved, and in whose place none has come yet. */
import { MovedPods } from '../../../../src/controllers/disruption/passes/moved-pods.js';

const MINUTE = 60_000;

test('one pod comes in the place of each within ten minutes, and none later', () => {
  const moved = new MovedPods();
  moved.add('web', 0);
  moved.add('web', 5 * MINUTE);
  moved.add('web', 6 * MINUTE);
  expect(moved.take('api', 6 * MINUTE)).toBe(false);
  expect([11, 12, 12].map((minute) => moved.take('web', minute * MINUTE))).toEqual([true, true, false]);
});

test('those in whose place none comes are forgotten after that time, whatever pods come or are moved', () => {
  const moved = new MovedPods();
  for (const owner of ['web', 'api', 'db']) moved.add(owner, 0);
  moved.add('web', 4 * MINUTE);
  expect(moved.size).toBe(3);
  moved.take('other', 11 * MINUTE);
  expect(moved.size).toBe(1);
  moved.add('other', 15 * MINUTE);
  expect(moved.size).toBe(1);
});
