/** The planner port's adapters. */
export { HeldPlanner } from './held.js';
export { InlinePlanner } from './inline.js';
export { isPlannerWorker, startPlannerWorker } from './planner-worker.js';
export { WorkerPlanner } from './worker.js';
