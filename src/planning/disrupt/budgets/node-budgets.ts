/** How many nodes disruption budgets, windows and freezes let go, and a tally of those that one answer takes. */
import {
  allowedDisruptions,
  countsAgainst,
  disruptionClosed,
  isBudgetActive,
  type BudgetReason,
  type DisruptionBudget,
  type LoadBudget,
  nextOpening,
} from '../../../domain/policies/budget.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import { isTrue } from '../../../domain/values/condition.js';
import { PRICE_ERROR } from '../../../domain/values/price.js';
import type { DisruptionInput, ManagedNode, NodeLife } from '../question/disruption.js';
import type { RuleRefusal } from '../question/refusal.js';

/** A node, with its price where that is asked for. */
type BudgetedNode = NodeLife & Partial<Pick<ManagedNode, 'hourlyPrice'>>;

/** Nodes that a set of budgets is over. */
interface Scope {
  /** '' for the nodes of all pools. */
  readonly nodePool: string;
  readonly budgets: readonly DisruptionBudget[];
  /** Managed, initialised ones. */
  readonly nodes: readonly BudgetedNode[];
}

/** A reason for disruption, as budgets, windows and freezes know it. */
export interface Budgeted {
  /** undefined: only budgets and freezes for every reason hold, and no windows do. */
  readonly budgetReason: BudgetReason | undefined;
}

/** What moving away from nodes comes to. */
interface NodeLoad {
  /** That would have to move. */
  readonly pods: number;
  readonly usdPerHour: number;
}

const NO_LOAD: NodeLoad = { pods: 0, usdPerHour: 0 };

function sumOf(left: NodeLoad, right: NodeLoad): NodeLoad {
  return { pods: left.pods + right.pods, usdPerHour: left.usdPerHour + right.usdPerHour };
}

/** Reasons for which a pool keeps its minimum: nodes that go for another one have to go, or are replaced. */
const FOR_COST: ReadonlySet<BudgetReason | undefined> = new Set(['Empty', 'Underutilized'] as const);

/** What budgets are counted from. */
interface BudgetInput {
  readonly cluster: Pick<DisruptionInput['cluster'], 'pools'>;
  readonly nodes: readonly BudgetedNode[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How many pods would have to move from the node of a name; without it, budgets in pods and USD/h let everything go. */
  readonly podsOn?: ((name: string) => number) | undefined;
}

export class NodeBudgets {
  readonly #now: number;
  readonly #pools: ReadonlyMap<string, NodePool>;
  readonly #scopes: ReadonlyMap<string, Scope>;
  readonly #closed = new Map<string, RuleRefusal | undefined>();
  readonly #active = new Map<string, readonly LoadBudget[]>();
  readonly #limits = new Map<string, number>();
  readonly #counted = new Map<string, number>();
  readonly #podsOn: BudgetInput['podsOn'];
  /** Pool → what its nodes come to that go already. */
  readonly #leaving = new Map<string, NodeLoad>();

  constructor({ cluster, nodes, now, podsOn }: BudgetInput) {
    this.#now = now;
    this.#podsOn = podsOn;
    // The nodes of frozen pools are refused before budgets are asked.
    const pools = cluster.pools.flatMap(({ pool, frozen }) => (frozen === true ? [] : [pool]));
    this.#pools = new Map(pools.map((pool) => [pool.name, pool]));
    const scopes = pools.map(({ name, disruption }) =>
      scopeOf(
        name,
        disruption.budgets,
        nodes.filter(({ nodePool }) => nodePool === name),
      ),
    );
    const all = scopeOf(
      '',
      pools.flatMap(({ disruption }) => disruption.clusterBudgets),
      nodes,
    );
    this.#scopes = new Map([...scopes, all].map((scope) => [scope.nodePool, scope]));
  }

  /** Where a freeze or the windows of the node's pool forbid the reason now. */
  closed({ budgetReason: reason }: Budgeted, node: Pick<NodeLife, 'nodePool'>): RuleRefusal | undefined {
    // Schedules take long to ask, and say the same of all nodes of the pool.
    const { nodePool } = node;
    return remembered(this.#closed, `${reason ?? ''} ${nodePool}`, () => this.#closedPool(reason, nodePool));
  }

  #closedPool(reason: BudgetReason | undefined, nodePool: string): RuleRefusal | undefined {
    const disruption = this.#pools.get(nodePool)?.disruption;
    const closed = disruption && disruptionClosed(disruption, reason, this.#now);
    if (closed?.code !== 'OutsideWindows') return closed && { ...closed, nodePool };
    const naming = (disruption?.windows ?? []).filter(
      ({ allow }) => reason !== undefined && allow.includes(reason),
    );
    return { ...closed, nodePool, opens: nextOpening(naming, this.#now) };
  }

  /** The first scope whose budgets let no more nodes go for the reason, given the nodes that were taken of each scope. */
  refusal(
    { budgetReason }: Budgeted,
    node: Pick<NodeLife, 'nodePool'>,
    takenOf: (nodePool: string) => TakenNodes = () => NONE_TAKEN,
  ): RuleRefusal | undefined {
    for (const name of [node.nodePool, '']) {
      const scope = this.#scopes.get(name);
      if (scope === undefined) continue;
      const { nodePool, nodes } = scope;
      const total = nodes.length;
      const allowed = this.#limit(scope, budgetReason);
      const { ready, notReady } = takenOf(nodePool);
      const taken = countsAgainst(budgetReason, NOT_READY) ? ready : ready + notReady;
      const used = this.#used(scope, budgetReason) + taken;
      if (used >= allowed) return { code: 'Budget', nodePool, total, used, allowed };
      const minimum = this.#pools.get(nodePool)?.minimumNodes ?? 0;
      if (minimum > 0 && FOR_COST.has(budgetReason)) {
        const staying = this.#staying(scope) - ready - notReady;
        if (staying <= minimum) return { code: 'MinimumNodes', nodePool, minimum };
      }
    }
    return undefined;
  }

  /** The first budget in pods or USD/h of the node's pool that the node, with what was taken of the pool, is more than. */
  loadRefusal({ budgetReason }: Budgeted, node: BudgetedNode, taken: NodeLoad): RuleRefusal | undefined {
    const { nodePool } = node;
    const active = this.#activeLoadBudgets(nodePool, budgetReason);
    if (active.length === 0) return undefined;
    const own = this.loadOf(node);
    const used = sumOf(this.#leavingOf(nodePool), taken);
    for (const budget of active) {
      for (const unit of ['pods', 'usdPerHour'] as const) {
        const allowed = budget[unit] ?? Infinity;
        if (own[unit] > 0 && used[unit] + own[unit] > allowed + PRICE_ERROR)
          return { code: 'LoadBudget', nodePool, unit, used: used[unit], own: own[unit], allowed };
      }
    }
    return undefined;
  }

  /** Nothing where no budget of its pool asks for it: pods of nodes are not counted for nothing. */
  loadOf({ name, nodePool, hourlyPrice = 0 }: BudgetedNode): NodeLoad {
    if (this.#podsOn === undefined || this.#loadBudgetsOf(nodePool).length === 0) return NO_LOAD;
    return { pods: this.#podsOn(name), usdPerHour: hourlyPrice };
  }

  #loadBudgetsOf(nodePool: string): readonly LoadBudget[] {
    return this.#pools.get(nodePool)?.disruption.loadBudgets ?? [];
  }

  #activeLoadBudgets(nodePool: string, reason: BudgetReason | undefined): readonly LoadBudget[] {
    return remembered(this.#active, `${reason ?? ''} ${nodePool}`, () =>
      this.#loadBudgetsOf(nodePool).filter((budget) => isBudgetActive(budget, reason, this.#now)),
    );
  }

  #leavingOf(nodePool: string): NodeLoad {
    const known = this.#leaving.get(nodePool);
    if (known !== undefined) return known;
    const leaving = this.#scopes.get(nodePool)?.nodes.filter((node) => isGoing(node)) ?? [];
    const load = leaving.reduce((sum, node) => sumOf(sum, this.loadOf(node)), NO_LOAD);
    this.#leaving.set(nodePool, load);
    return load;
  }

  #staying({ nodePool, nodes }: Scope): number {
    return remembered(
      this.#counted,
      `staying ${nodePool}`,
      () => nodes.filter(({ leaving }) => !leaving).length,
    );
  }

  /** Nodes of the scope that may be disrupted at once. */
  #limit({ nodePool, budgets, nodes }: Scope, reason: BudgetReason | undefined): number {
    return remembered(this.#limits, `${reason ?? ''} ${nodePool}`, () =>
      allowedDisruptions(budgets, { reason, now: this.#now, total: nodes.length, used: 0 }),
    );
  }

  #used({ nodePool, nodes }: Scope, reason: BudgetReason | undefined): number {
    return remembered(
      this.#counted,
      `${reason ?? ''} ${nodePool}`,
      () => nodes.filter((node) => countsAgainst(reason, node)).length,
    );
  }
}

function scopeOf(
  nodePool: string,
  budgets: readonly DisruptionBudget[],
  nodes: readonly BudgetedNode[],
): Scope {
  return { nodePool, budgets, nodes: nodes.filter((node) => isCounted(node)) };
}

/**
 * Whether budgets count the node: one that reboots is not initialized meanwhile, and one of the pool's all the same; one whose
 * instance is being terminated is none any more (Karpenter).
 */
export function isCounted({ initialized, rebooting, conditions }: NodeLife): boolean {
  return (initialized && !isTrue(conditions, 'InstanceTerminating')) || rebooting === true;
}

/** Whether it is being disrupted already. */
export function isGoing({ leaving, rebooting }: NodeLife): boolean {
  return leaving || rebooting === true;
}

function remembered<T>(known: Map<string, T>, key: string, answer: () => T): T {
  const before = known.get(key);
  if (before !== undefined || known.has(key)) return before as T;
  const value = answer();
  known.set(key, value);
  return value;
}

/** Nodes that an answer takes, by whether budgets of most reasons count them already. */
interface TakenNodes {
  readonly ready: number;
  readonly notReady: number;
}

interface Taken extends TakenNodes {
  readonly load: NodeLoad;
}

const NONE_TAKEN: Taken = { ready: 0, notReady: 0, load: NO_LOAD };
const NOT_READY = { ready: false, leaving: false };

/** Nodes taken so far, per pool and altogether. */
export class NodeTally {
  readonly #budgets: NodeBudgets;
  readonly #taken: Map<string, Taken>;

  constructor(budgets: NodeBudgets, taken: ReadonlyMap<string, Taken> = new Map()) {
    this.#budgets = budgets;
    this.#taken = new Map(taken);
  }

  /** A separate tally that continues from here. */
  fork(): NodeTally {
    return new NodeTally(this.#budgets, this.#taken);
  }

  refusal(method: Budgeted, node: BudgetedNode): RuleRefusal | undefined {
    const takenOf = (nodePool: string): Taken => this.#taken.get(nodePool) ?? NONE_TAKEN;
    const { load } = takenOf(node.nodePool);
    return this.#budgets.refusal(method, node, takenOf) ?? this.#budgets.loadRefusal(method, node, load);
  }

  /** A node that budgets do not count, or count already, takes nothing of them. */
  take(node: BudgetedNode): void {
    if (!node.initialized || isGoing(node)) return;
    const own = this.#budgets.loadOf(node);
    for (const nodePool of [node.nodePool, '']) {
      const { ready, notReady, load: before } = this.#taken.get(nodePool) ?? NONE_TAKEN;
      const load = sumOf(before, own);
      const isNew = !countsAgainst(undefined, node);
      this.#taken.set(
        nodePool,
        isNew ? { ready: ready + 1, notReady, load } : { ready, notReady: notReady + 1, load },
      );
    }
  }
}
