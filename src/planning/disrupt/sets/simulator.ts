/** Plans of the cluster without some of its nodes, as many as the work allows (docs/adr/0007). */
import type { PlanOptions } from '../../plan-options.js';
import type { Plan, UnschedulablePod } from '../../plan.js';
import type { CompileCache } from '../../engine/compile-cache.js';
import { plan } from '../../engine/plan.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { nearestFirst } from '../../explain/nearest-first.js';
import type { RuleRefusal } from '../question/refusal.js';
import type { ClusterView } from './cluster-view.js';
import type { MadePlan, PlanMemory, Removal } from './plan-memory.js';

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
  planWithout({ running }: ClusterView, removal: Removal): Plan | undefined {
    return this.#counted(() =>
      this.#memory.planOf({ running, options: this.#options, removal }, () =>
        this.#plan(running.without(removal.removed, removal.closed), removal.proposed),
      ),
    );
  }

  /** undefined when no work is left. */
  plan(snapshot: Snapshot): Plan | undefined {
    return this.#counted(() => this.#plan(snapshot));
  }

  #counted(make: () => MadePlan): Plan | undefined {
    if (this.isSpent) return undefined;
    this.#budget.checkpoint();
    const { plan, work } = make();
    this.#made++;
    this.spend(work);
    return plan;
  }

  #plan(snapshot: Snapshot, proposed?: Removal['proposed']): MadePlan {
    const { nodes, pods } = snapshot;
    const pending = pods.node.reduce((sum, node) => (node < 0 ? sum + 1 : sum), 0);
    const made = plan(snapshot, this.#options, { cache: this.#cache, improvement: 0, proposed });
    return { plan: made, work: workOf(nodes.length + pods.keys.length, pending) };
  }
}

/** Why a node stays whose pod has no place to go. */
export function noPlace({ pod, reasons }: UnschedulablePod): RuleRefusal {
  return { code: 'NoPlace', pod, why: nearestFirst(reasons)[0]?.reason };
}
