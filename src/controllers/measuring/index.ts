/** Measuring: what the cluster is like, for whoever reads the metrics. */
export { MeasuringController } from './measuring-controller.js';
