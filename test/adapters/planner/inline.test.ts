import { InlinePlanner } from '../../../src/adapters/planner/index.js';
import { PLANNER_LAWS, planRequest } from '../../contract/planner.js';
import { VirtualClock } from '../../../world/clock/virtual-clock.js';

test.each(PLANNER_LAWS)('InlinePlanner $behaviour', async ({ expectOf }) => {
  await expectOf(new InlinePlanner({ clock: new VirtualClock() }));
});

test('InlinePlanner measures by its clock', async () => {
  let now = 0;
  const clock = Object.assign(new VirtualClock(), { monotonic: () => (now += 25) });
  const { millis } = await new InlinePlanner({ clock }).plan(planRequest());
  expect(millis).toBe(25);
});
