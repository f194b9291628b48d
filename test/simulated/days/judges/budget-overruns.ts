/** Nodes that begin to be disrupted for a reason, where the budgets of their NodePool let fewer go at once. */
import type { BudgetReason } from '../../../../src/domain/policies/budget.js';
import { BUDGET_REASONS, type BudgetTerms } from '../plan/pools.js';
import type { Stage } from '../plan/stage.js';
import {
  hasCondition,
  isInitialized,
  isLeaving,
  isReady,
  isTainted,
  POOL,
  type RawClaim,
  type RawNode,
} from '../record/raw.js';
import type { Bench, Judge } from './judge.js';

const HOUR_MILLIS = 3_600_000;
/** What a policy or a schedule says counts so long after it has changed: it is read, decided by, and carried out. */
const SLACK_MILLIS = 15_000;

export function budgetOverruns({ world, history, stage, report }: Bench): Judge {
  world.api.watch('nodes', ({ object, before }) => {
    const node = object as RawNode;
    if (before === undefined || isTainted(before) || !isTainted(node)) return;
    const cause = history.causeOf(node.metadata.name);
    const reason = BUDGET_REASONS.find((each) => each === cause?.reason);
    if (reason === undefined) return;
    const nodePool = node.metadata.labels?.[POOL] ?? '';
    const ended = new Set(
      (world.api.list('nodeclaims.berth.sh') as readonly RawClaim[])
        .filter((claim) => hasCondition(claim, 'InstanceTerminating'))
        .map(({ status }) => status?.nodeName),
    );
    const nodes = (world.api.list('nodes') as readonly RawNode[])
      .filter((each) => each.metadata.labels?.[POOL] === nodePool && isInitialized(each))
      .filter(({ metadata }) => !ended.has(metadata.name));
    const disrupting = nodes.filter((each) => isTainted(each) || isLeaving(each) || !isReady(each));
    const allowed = allowedNodes(stage, nodePool, { reason, total: nodes.length });
    if (disrupting.length <= allowed) return;
    const names = disrupting.map(({ metadata }) => metadata.name);
    report({
      kind: 'budgetOverruns',
      objects: [node.metadata.name, ...names],
      what: `node ${node.metadata.name} of NodePool ${nodePool} is disrupted as ${reason}: with it ${String(disrupting.length)} of ${String(nodes.length)} nodes are disrupted or not Ready, and budgets allow ${String(allowed)}`,
    });
  });
  return {};
}

/** The most nodes that the pool's budgets allowed to be disrupted for the reason within the last moments. */
export function allowedNodes(
  stage: Stage,
  nodePool: string,
  { reason, total }: { readonly reason: BudgetReason; readonly total: number },
): number {
  const { now } = stage;
  const versions = stage.versionsOf(nodePool);
  const recent = versions.filter(
    (_, index) => index === 0 || (versions[index - 1]?.from ?? 0) > now - SLACK_MILLIS,
  );
  const amounts = recent.flatMap(({ terms }) =>
    [now, now - SLACK_MILLIS].map((at) => {
      const active = terms.budgets.filter((budget) => isActive(budget, reason, at));
      return Math.min(total, ...active.map(({ nodes }) => amountOf(nodes, total)));
    }),
  );
  return Math.max(...amounts);
}

function isActive({ reasons, window }: BudgetTerms, reason: BudgetReason, at: number): boolean {
  if (reasons !== undefined && !reasons.includes(reason)) return false;
  if (window === undefined) return true;
  const sinceOpening = (at - window.hour * HOUR_MILLIS) % (24 * HOUR_MILLIS);
  return sinceOpening < window.hours * HOUR_MILLIS;
}

/** Karpenter rounds shares up. */
function amountOf(nodes: string, total: number): number {
  return nodes.endsWith('%') ? Math.ceil((total * Number(nodes.slice(0, -1))) / 100) : Number(nodes);
}
