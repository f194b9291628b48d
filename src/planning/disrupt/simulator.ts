/** Plans of the cluster without some of its nodes, as many as the work allowed. */
import type { PlanOptions } from '../plan-options.js';
import type { Plan, UnschedulablePod } from '../plan.js';
import type { CompileCache } from '../engine/compile-cache.js';
import { plan } from '../engine/plan.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { nearestFirst } from '../nearest-first.js';
import type { RuleRefusal } from './refusal.js';

export class Simulator {
  readonly #options: PlanOptions;
  readonly #cache: CompileCache;
  readonly #most: number;
  readonly #checkpoint: () => void;
  #made = 0;

  /** `checkpoint` is called before each plan. */
  constructor(
    options: PlanOptions,
    cache: CompileCache,
    { most, checkpoint }: { readonly most: number; readonly checkpoint: () => void },
  ) {
    this.#options = options;
    this.#cache = cache;
    this.#most = most;
    this.#checkpoint = checkpoint;
  }

  /** Plans made. */
  get made(): number {
    return this.#made;
  }

  get left(): number {
    return this.#most - this.#made;
  }

  /**
   * undefined when no work is left.
   *
   * @param proposed pending pod → existing node: where pods go as far as the exact rules allow it.
   */
  plan(snapshot: Snapshot, proposed?: ReadonlyMap<string, string>): Plan | undefined {
    if (this.left <= 0) return undefined;
    this.#checkpoint();
    this.#made++;
    return plan(snapshot, this.#options, { cache: this.#cache, improvement: 0, proposed });
  }
}

/** Why a node stays whose pod has no place to go. */
export function noPlace({ pod, reasons }: UnschedulablePod): RuleRefusal {
  return { code: 'NoPlace', pod, why: nearestFirst(reasons)[0]?.reason };
}
