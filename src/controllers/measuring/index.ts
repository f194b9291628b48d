/** Measuring: gauges of the cluster. */
export { MeasuringController } from './measuring-controller.js';
