import { runBundled } from '../run-bundled.js';
import type { ComparedDay } from './compare-day.js';

test('half an hour is compared: observing changes nothing, and Berth then takes over every node and leaves no pod pending', async () => {
  const [day] = await runBundled('test/simulated/saving/main.ts', [['day', '1', '9', '0.5']]);
  const { mutatingCalls, pendingPods, predicted, realised } = day as ComparedDay;
  expect({ mutatingCalls, pendingPods }).toEqual({ mutatingCalls: 0, pendingPods: 0 });
  expect(predicted.cost).toBeGreaterThan(0);
  expect(Math.abs(predicted.cost - realised.cost)).toBeLessThan(0.1 * realised.cost);
});
