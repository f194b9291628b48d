/** Disruption: claims that may be disrupted get conditions, and those that are chosen are replaced and deleted. */
export {
  ConditionsController,
  type ConditionsControllerOptions,
} from './conditions/conditions-controller.js';
export { DisruptionController, type DisruptionControllerOptions } from './disruption-controller.js';
export { PodEvents } from './conditions/pod-events.js';
export { EmptyingController } from './emptying/emptying-controller.js';
