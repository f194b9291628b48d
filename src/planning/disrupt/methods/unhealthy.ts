/** Node repair: a node that has been in a bad condition for longer than its repair policy tolerates. */
import { DEFAULT_MOST_UNHEALTHY_PERCENT } from '../../../domain/policies/node-pool.js';
import { isTrue } from '../../../domain/values/condition.js';
import {
  keptCondition,
  NEVER_DUE,
  withCondition,
  type ClaimFacts,
  type ConditionDue,
  type Method,
} from '../method.js';
import type { NodeLife } from '../question/disruption.js';
import type { RefusalWords } from '../question/refusal.js';
import type { DueInput } from '../sets/candidates.js';
import { replaceDue } from './replace-due.js';

export interface UnhealthyRefusal {
  readonly code: 'DoNotRepair';
}

const WORDS: RefusalWords<UnhealthyRefusal> = {
  DoNotRepair: () => 'the node is annotated karpenter.sh/do-not-repair; remove the annotation',
};

export const unhealthy: Method = {
  reason: 'Unhealthy',
  condition: keptCondition({
    type: 'Unhealthy',
    meaning: 'the node is in a bad condition for longer than its repair policy tolerates',
    reasons: { '(a condition of the node)': 'the type of that condition, for example Ready' },
    from: isUnhealthyFrom,
  }),
  due: (input) => {
    const spared = mostlyUnhealthy(input);
    const isMeant = ({ nodePool, doNotRepair, rebooting }: NodeLife): boolean =>
      !spared.has(nodePool) && !doNotRepair && rebooting !== true;
    return inTurn(input, withCondition(input, 'Unhealthy', isMeant));
  },
  budgetReason: 'Unhealthy',
  isForced: () => true,
  reboots: ({ repair }) => repair?.action === 'Reboot',
  drainBound: ({ repair }) => repair?.terminationGracePeriodSeconds,
  isEventual: false,
  isUrgent: false,
  refusals: { words: WORDS, quiet: [] },
  decide: (draft) => {
    replaceDue(draft, unhealthy);
    const kept = withCondition(draft.input, 'Unhealthy', ({ doNotRepair }) => doNotRepair);
    for (const candidate of draft.candidates.all(kept))
      draft.refuse(candidate, unhealthy, { code: 'DoNotRepair' });
  },
};

/** Registered nodes, initialized or not (Karpenter 1.15): a bad node may be what keeps initialization from completing. */
function isUnhealthyFrom({ claim, ailment }: ClaimFacts): ConditionDue {
  if (ailment === undefined || !isTrue(claim.status.conditions, 'Registered')) return NEVER_DUE;
  const { type, status, reason } = ailment.condition;
  const why = reason === '' ? '' : ` (${reason})`;
  const message = `node condition ${type} is ${status}${why} for longer than its toleration duration`;
  return { at: ailment.until, reason: type, message };
}

/** So much longer unhealthy counts as the next higher priority, so that none waits forever (Karpenter). */
const RANK_MILLIS = 1_800_000;

/** Since when they are unhealthy, as though each higher one of the priorities that there are had been for half an hour longer. */
function inTurn({ nodes }: DueInput, since: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  if (since.size < 2) return since;
  const priorities = new Map(nodes.map(({ name, repair }) => [name, repair?.priority ?? 0]));
  const priorityOf = (name: string): number => priorities.get(name) ?? 0;
  const ranks = [...new Set([...since.keys()].map(priorityOf))].sort((one, other) => one - other);
  return new Map(
    [...since].map(([name, time]) => [name, time - ranks.indexOf(priorityOf(name)) * RANK_MILLIS]),
  );
}

/**
 * Whether so few of the pool's nodes are unhealthy that replacing them may help: at most this percentage, rounded up. More are not
 * the nodes' fault (Karpenter's brake).
 */
export function mayRepair(unhealthyNodes: number, nodes: number, mostPercent: number): boolean {
  return unhealthyNodes <= Math.ceil((nodes * mostPercent) / 100);
}

/** The pools that have so many bad nodes that none is replaced: each counts from the first second of its bad condition. */
function mostlyUnhealthy({ nodes, cluster }: DueInput): ReadonlySet<string> {
  const counts = new Map<string, { nodes: number; ailing: number }>();
  for (const { nodePool, conditions, repair } of nodes) {
    if (!isTrue(conditions, 'Registered')) continue;
    const count = counts.get(nodePool) ?? { nodes: 0, ailing: 0 };
    counts.set(nodePool, count);
    count.nodes++;
    if (repair !== undefined) count.ailing++;
  }
  const terms = new Map(cluster.pools.map(({ pool }) => [pool.name, pool.disruption]));
  const spared = [...counts].filter(([name, { ailing, nodes: all }]) => {
    // Nodes outlive their pool.
    const most = terms.get(name)?.mostUnhealthyPercent ?? DEFAULT_MOST_UNHEALTHY_PERCENT;
    return !mayRepair(ailing, all, most);
  });
  return new Set(spared.map(([name]) => name));
}
