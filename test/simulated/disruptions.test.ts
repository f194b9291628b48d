import { DISRUPTIONS } from '../scenario/scenarios.js';
import { inSimulatedWorld } from './in-world.js';

test.each(DISRUPTIONS)('$name', async (scenario) => {
  await expect(inSimulatedWorld(scenario)).resolves.toBeUndefined();
});
