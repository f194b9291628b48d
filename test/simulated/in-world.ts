/** Plays scenarios in simulated worlds of their own. */
import type { ScenarioCase } from '../scenario/scenario-case.js';
import { SimulatedWorld, type SimulatedWorldOptions } from './simulated-world.js';

/** @throws Error telling what is not as it must be, and what Berth warned of. */
export async function inSimulatedWorld(
  scenario: ScenarioCase,
  options: SimulatedWorldOptions = {},
): Promise<void> {
  const { start, flags } = scenario;
  const world = await SimulatedWorld.start({
    ...(start !== undefined && { start: Date.parse(start) }),
    ...(flags && { flags }),
    ...options,
  });
  try {
    await scenario.run(world);
  } catch (error) {
    throw new Error(`${String(error)}\n${story(world)}`, { cause: error });
  } finally {
    await world.close();
  }
}

/** The end of what happened, for whoever reads a failure. */
function story({ actors, log }: SimulatedWorld): string {
  const warnings = log.lines
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
  return [
    'the trace ends with',
    ...actors.trace.lines.slice(-40),
    'Berth warned',
    ...warnings.slice(-15),
  ].join('\n');
}
