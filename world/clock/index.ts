/** The world's time where it is more than one process that lives in it. */
export type { PaceReport } from './pace.js';
export { serveTime } from './serve-time.js';
export { WorldTime } from './world-time.js';
