import type { SpecFactsTable } from '../model/classes/spec-facts.js';
import { ModelCache } from '../model/model-cache.js';
import type { PlanOptions } from '../plan-options.js';
import { ProofMemory } from '../prove/proof-memory.js';

/** What planning remembers from one plan to the next, compiled and proved; it changes no plan. One for the life of a planner. */
export class CompileCache extends ModelCache {
  #proof: { readonly facts: SpecFactsTable; readonly memory: ProofMemory } | undefined;

  /**
   * For other questions about the same cluster, asked in turn: pools and types are compiled once for both, and each has its own
   * lists of pods and nodes, which the other would evict.
   */
  beside(): CompileCache {
    return new CompileCache(this.launchables);
  }

  /** What proving remembers under these options; that for others is forgotten. */
  proof(options: Pick<PlanOptions, 'defaultSpread'>): ProofMemory {
    const { facts } = this.tables(options);
    if (this.#proof?.facts !== facts) this.#proof = { facts, memory: new ProofMemory(facts) };
    return this.#proof.memory;
  }
}
