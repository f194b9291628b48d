import { BAD_INPUT } from '../scenario/scenarios.js';
import { inSimulatedWorld } from './in-world.js';

test.each(BAD_INPUT)('$name', async (scenario) => {
  await expect(inSimulatedWorld(scenario)).resolves.toBeUndefined();
});
