import { InlinePlanner } from '../../../src/adapters/planner/index.js';
import { PLANNER_LAWS, planRequest } from '../../contract/planner.js';
import { ManualClock } from '../../support/manual-clock.js';

test.each(PLANNER_LAWS)('InlinePlanner $behaviour', async ({ expectOf }) => {
  await expectOf(new InlinePlanner({ clock: new ManualClock() }));
});

test('InlinePlanner measures by its clock', async () => {
  let now = 0;
  const clock = Object.assign(new ManualClock(), { monotonic: () => (now += 25) });
  const { millis } = await new InlinePlanner({ clock }).plan(planRequest());
  expect(millis).toBe(25);
});
