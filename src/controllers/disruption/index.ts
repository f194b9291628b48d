/** Disruption: claims that may go are told so, and those that are decided to go are replaced and deleted. */
export { ConditionsController, type ConditionsControllerOptions } from './conditions-controller.js';
export { DisruptionController, type DisruptionControllerOptions } from './disruption-controller.js';
export { PodEvents } from './pod-events.js';
