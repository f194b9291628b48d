/** Plans of the cluster without some of its nodes, for the next pass: most see what the last one saw, since time alone may let nodes go. */
import type { PlanOptions } from '../../plan-options.js';
import type { Plan } from '../../plan.js';
import type { SnapshotView } from '../../snapshot/snapshot-view.js';

/** Which nodes are planned without, and where their pods should go. */
export interface Removal {
  /** Names of nodes that are not there. */
  readonly removed: ReadonlySet<string>;
  /** Names of nodes that take no pods. */
  readonly closed: ReadonlySet<string>;
  /** Pod → existing node: where pods go as far as the exact rules allow it. */
  readonly proposed?: ReadonlyMap<string, string> | undefined;
}

interface Question {
  /** The cluster that runs; another object for each change. */
  readonly running: SnapshotView;
  readonly options: PlanOptions;
  readonly removal: Removal;
}

export interface MadePlan {
  readonly plan: Plan;
  /** Units of work that it took. */
  readonly work: number;
}

/** Of more plans no more are kept, nor plans with more proposals: they would take more room than they save time. */
const MOST_PLANS = 2_000;
const MOST_PROPOSALS = 500;

/** It makes answers quicker and changes none: what is remembered is forgotten with the first change that planning reads. */
export class PlanMemory {
  #view: SnapshotView | undefined;
  #options = '';
  readonly #plans = new Map<string, MadePlan>();

  /** The plan as it was made of the very same cluster, or else as it is made now. */
  planOf({ running, options, removal }: Question, make: () => MadePlan): MadePlan {
    if (!isKept(removal)) return make();
    if (running !== this.#view) this.#turnTo(running, JSON.stringify(options));
    const key = keyOf(removal);
    const made = this.#plans.get(key) ?? make();
    if (this.#plans.size < MOST_PLANS) this.#plans.set(key, made);
    return made;
  }

  #turnTo(view: SnapshotView, options: string): void {
    if (options !== this.#options || this.#view?.isSame(view) !== true) this.#plans.clear();
    [this.#view, this.#options] = [view, options];
  }
}

function isKept({ proposed }: Removal): boolean {
  return proposed === undefined || proposed.size <= MOST_PROPOSALS;
}

/** Names of nodes and pods have no spaces. Proposals are tried in their order. */
function keyOf({ removed, closed, proposed }: Removal): string {
  const proposals = proposed === undefined ? ['-'] : [...proposed].map(([pod, node]) => `${pod}>${node}`);
  return [[...removed].sort(), [...closed], proposals].map((parts) => parts.join(' ')).join('\n');
}
