/** Runs a scenario in a world under a witness. */
import type { ScenarioCase } from '../../scenario/scenario-case.js';
import type { World } from '../../scenario/world.js';
import { SimulatedWorld } from '../../simulated/simulated-world.js';
import type { Sight } from './sight.js';
import { WitnessedWorld } from './witnessed-world.js';

/** @throws Error of the scenario, when something is not as it must be. */
export async function witnessed(world: World, scenario: ScenarioCase): Promise<Sight> {
  const witness = await WitnessedWorld.of(world);
  await scenario.run(witness);
  return witness.sight();
}

/** In a simulated world of its own, on virtual time. @throws Error of the scenario. */
export async function simulated(scenario: ScenarioCase): Promise<Sight> {
  const { start, flags } = scenario;
  const world = await SimulatedWorld.start({
    ...(start !== undefined && { start: Date.parse(start) }),
    ...(flags && { flags }),
  });
  try {
    return await witnessed(world, scenario);
  } finally {
    await world.close();
  }
}
