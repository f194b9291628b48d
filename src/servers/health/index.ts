/** Whether the process lives, and whether requests may be sent to it. */
export { certificateProbe } from './probe.js';
export { healthRouter } from './health-router.js';
export type { Probe } from './probe.js';
export { syncProbe } from './probe.js';
