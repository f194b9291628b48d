/** The planner port's adapters. */
export { HeldPlanner } from './held.js';
export { plannerMemoryMiB, type ProcessMemory } from './planner-thread.js';
export { isPlannerWorker, startPlannerWorker } from './planner-worker.js';
export { QuarantiningPlanner } from './quarantining-planner.js';
export { WorkerPlanner } from './worker.js';
