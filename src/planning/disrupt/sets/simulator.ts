/** Plans of the cluster without some of its nodes, as many as the work allows (docs/adr/0007). */
import type { PlanOptions } from '../../plan-options.js';
import type { Plan, UnschedulablePod } from '../../plan.js';
import type { CompileCache } from '../../engine/compile-cache.js';
import { plan } from '../../engine/plan.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { nearestFirst } from '../../explain/nearest-first.js';
import type { RuleRefusal } from '../question/refusal.js';
import type { ClusterView } from './cluster-view.js';
import type { PlanMemory, Removal } from './plan-memory.js';

/** How much a simulator may do. A unit of work is a node or pod that a plan looks at. */
export interface WorkBudget {
  readonly plans: number;
  /** The plan that exceeds it is the last. */
  readonly work: number;
  /** Called before each plan. */
  readonly checkpoint: () => void;
}

/** Units that placing a pod takes beyond looking at it: measured, as all of them are, on 2,000 nodes with 20,000 pods. */
const WORK_PER_PLACED_POD = 12;

/** Units of work that planning a cluster of so many nodes and pods takes, of which some are placed. */
export function workOf(size: number, placed: number): number {
  return size + WORK_PER_PLACED_POD * placed;
}

export class Simulator {
  readonly #options: PlanOptions;
  readonly #cache: CompileCache;
  readonly #memory: PlanMemory;
  readonly #budget: WorkBudget;
  #made = 0;
  #work = 0;

  constructor(
    options: PlanOptions,
    { plans, made }: { readonly plans: CompileCache; readonly made: PlanMemory },
    budget: WorkBudget,
  ) {
    this.#options = options;
    this.#cache = plans;
    this.#memory = made;
    this.#budget = budget;
  }

  /** Plans made. */
  get made(): number {
    return this.#made;
  }

  get isSpent(): boolean {
    return this.#made >= this.#budget.plans || this.#work >= this.#budget.work;
  }

  /** Whether so many units of work are no more than a share of the budget. */
  isSmall(work: number, share: number): boolean {
    return work <= share * this.#budget.work;
  }

  /** Counts work that was done beside plans. */
  spend(work: number): void {
    this.#work += work;
  }

  /**
   * The running cluster without nodes, whose pods ask for a place. A plan that is remembered counts as work all the same, so that
   * the answer is the one without memory. undefined when no work is left.
   */
  planWithout(view: ClusterView, removal: Removal): Plan | undefined {
    if (this.isSpent) return undefined;
    const known = this.#memory.recall(view.running, this.#options, removal);
    if (known !== undefined) {
      this.#budget.checkpoint();
      this.#made++;
      this.spend(known.work);
      return known.plan;
    }
    const before = this.#work;
    const plan = this.plan(view.running.without(removal.removed, removal.closed), removal.proposed);
    if (plan !== undefined) this.#memory.keep(removal, { plan, work: this.#work - before });
    return plan;
  }

  /**
   * undefined when no work is left.
   *
   * @param proposed pending pod → existing node: where pods go as far as the exact rules allow it.
   */
  plan(snapshot: Snapshot, proposed?: ReadonlyMap<string, string>): Plan | undefined {
    if (this.isSpent) return undefined;
    this.#budget.checkpoint();
    this.#made++;
    const { nodes, pods } = snapshot;
    const pending = pods.node.reduce((sum, node) => (node < 0 ? sum + 1 : sum), 0);
    this.spend(workOf(nodes.length + pods.keys.length, pending));
    return plan(snapshot, this.#options, { cache: this.#cache, improvement: 0, proposed });
  }
}

/** Why a node stays whose pod has no place to go. */
export function noPlace({ pod, reasons }: UnschedulablePod): RuleRefusal {
  return { code: 'NoPlace', pod, why: nearestFirst(reasons)[0]?.reason };
}
