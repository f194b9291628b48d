/** A simulated AWS at the wire: `new AwsSimulator({ clock, random }).handle` answers the real SDK clients. */
export { AwsSimulator } from './aws-simulator.js';
export type { AwsSimulatorOptions } from './aws-simulator-options.js';
export type { SimulatedInstance } from './ec2/instance.js';
