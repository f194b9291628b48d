import { EXAMPLES } from '../scenario/scenarios.js';
import { inSimulatedWorld } from './in-world.js';

test.each(EXAMPLES)('$name', async (scenario) => {
  await expect(inSimulatedWorld(scenario)).resolves.toBeUndefined();
});
