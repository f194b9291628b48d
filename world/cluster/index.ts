/** The simulated world: actors of a cluster over the simulated API server and the simulated cloud. */
export { World, type WorldOptions } from './world.js';
export type { MachineSource, SimulatedMachine } from './machine-source.js';
export type { CallExtender } from '../scheduler/extender.js';
