import { compareDay } from './compare-day.js';

test('half an hour is compared: observing changes nothing, and Berth then takes over every node and leaves no pod pending', async () => {
  const { mutatingCalls, pendingPods, predicted, realised } = await compareDay({
    seed: 1,
    hour: 9,
    hours: 0.5,
  });
  expect({ mutatingCalls, pendingPods }).toEqual({ mutatingCalls: 0, pendingPods: 0 });
  expect(predicted.cost).toBeGreaterThan(0);
  expect(Math.abs(predicted.cost - realised.cost)).toBeLessThan(0.1 * realised.cost);
});
