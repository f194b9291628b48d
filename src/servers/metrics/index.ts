/** What Prometheus reads. */
export { metricsRouter } from './metrics-router.js';
