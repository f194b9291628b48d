import { InlinePlanner } from '../../support/inline-planner.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { batchCluster, PLANNER_LAWS, planQuestion } from '../../contract/planner.js';
import { VirtualClock } from '../../support/virtual-clock.js';

test.each(PLANNER_LAWS)('InlinePlanner $behaviour', async ({ expectOf }) => {
  const cluster = new Cluster();
  await expectOf(new InlinePlanner({ cluster, clock: new VirtualClock() }), cluster);
});

test('InlinePlanner measures by its clock', async () => {
  let now = 0;
  const clock = Object.assign(new VirtualClock(), { monotonic: () => (now += 25) });
  const cluster = batchCluster();
  const { millis } = await new InlinePlanner({ cluster, clock }).plan(planQuestion(cluster));
  expect(millis).toBe(25);
});
