/** What disruption remembers from one question to the next: it makes answers quicker and changes none. */
import { ConsolidationPlanner } from '../consolidation/consolidation-curve.js';
import { CompileCache } from '../engine/compile-cache.js';

export class DisruptionMemory {
  readonly plans = new CompileCache();
  readonly curve = new ConsolidationPlanner();
}
