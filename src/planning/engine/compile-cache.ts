import { ModelCache } from '../model/model-cache.js';
import { ProofMemory } from '../prove/proof-memory.js';

/** What planning remembers from one plan to the next, compiled and proved; it changes no plan. One for the life of a planner. */
export class CompileCache extends ModelCache {
  readonly proof = new ProofMemory(this.tables.facts);

  /**
   * For other questions about the same cluster, asked in turn: pools and types are compiled once for both, and each has its own
   * lists of pods and nodes, which the other would evict.
   */
  beside(): CompileCache {
    return new CompileCache(this.launchables);
  }
}
