/** The history behind the page's timeline. */
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { Timeline } from '../../../src/state/planning/timeline.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedPod } from '../../support/builders/observed-pod.js';

function started(most: number) {
  const cluster = new Cluster();
  const clock = new VirtualClock();
  const timeline = new Timeline({ cluster, clock, most, firstMillis: 1000, lastMillis: 4000 });
  const stop = new AbortController();
  void timeline.run(stop.signal);
  return { cluster, clock, timeline, stop };
}

test('the cluster is sampled as time goes by', async () => {
  const { cluster, clock, timeline, stop } = started(100);
  await clock.advance(1000);
  cluster.put('Pod', observedPod());
  cluster.put('NodeClaim', nodeClaim({ status: { hourlyPrice: 0.5 } }));
  await clock.advance(1000);
  expect(timeline.points().map(({ pending, coming, hourly }) => [pending, coming, hourly])).toEqual([
    [0, 0, 0],
    [0, 0, 0],
    [1, 1, 0.5],
  ]);
  stop.abort();
});

test('however long it runs, points are bounded, in order, and reach back as far as they can', async () => {
  const { clock, timeline, stop } = started(20);
  const began = clock.now();
  await clock.advance(30_000);
  const early = timeline.points().map(({ time }) => time);
  expect(early[0]).toBe(began);
  await clock.advance(1_000_000);
  const times = timeline.points().map(({ time }) => time);
  expect(times.length).toBeLessThanOrEqual(21);
  expect(times).toEqual([...times].sort((left, right) => left - right));
  expect(times.at(-1)).toBe(clock.now());
  expect(clock.now() - (times[0] ?? 0)).toBeGreaterThanOrEqual(19 * 4000);
  stop.abort();
});

test('it ends with its signal', async () => {
  const { clock, timeline, stop } = started(20);
  stop.abort();
  await clock.advance(10_000);
  expect(timeline.points().length).toBe(2);
  expect(clock.pending).toBe(0);
});
