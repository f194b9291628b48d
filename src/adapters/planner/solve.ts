/** One task done: planning or disruption, and how long it took. */
import { disrupt, METHODS } from '../../planning/disrupt/methods.js';
import { isCounted, isGoing } from '../../planning/disrupt/budgets/node-budgets.js';
import { DisruptionMemory } from '../../planning/disrupt/draft.js';
import type { DisruptionAnswer, DisruptionInput } from '../../planning/disrupt/question/disruption.js';
import { isOfNode } from '../../planning/disrupt/question/refusal.js';
import type { Plan } from '../../planning/plan.js';
import { plan } from '../../planning/engine/plan.js';
import { CompileCache } from '../../planning/engine/compile-cache.js';
import { buildSnapshot } from '../../planning/snapshot/build-snapshot.js';
import type { Clock } from '../../ports/clock.js';
import type { DisruptionCensus, PlanAnswer } from '../../ports/planner.js';
import type { PlannerAnswer, PlannerTask } from './task.js';

export interface SolveOptions {
  /** Hears of plans that hold, before a better one is looked for. */
  readonly onDraft?: ((draft: PlanAnswer) => void) | undefined;
  /** Called between pieces of a disruption pass, which ends with what it throws. */
  readonly checkpoint?: (() => void) | undefined;
}

/**
 * Does a task.
 * @throws Error when planning breaks, which is a bug; and what `checkpoint` throws.
 */
export type Solve = (task: PlannerTask, options?: SolveOptions) => PlannerAnswer;

/** What one task after the other is to be given to: what it remembers makes the next one quicker and changes no answer. */
export function solver(clock: Clock): Solve {
  const cache = new CompileCache();
  const memory = new DisruptionMemory(cache);
  return (task, { onDraft, checkpoint } = {}) => {
    const start = clock.monotonic();
    if (task.kind === 'disrupt') {
      const answer = disrupt(task.input, task.options, memory, checkpoint);
      return { answer, census: censusOf(task.input, answer), millis: clock.monotonic() - start };
    }
    const answered = (found: Plan): PlanAnswer => ({ plan: found, millis: clock.monotonic() - start });
    const { input, options } = task;
    const tell = (draft: Plan): void => onDraft?.(answered(draft));
    const aids = { cache, onDraft: onDraft && tell };
    return answered(plan(buildSnapshot(input, cache.snapshots), options, aids));
  };
}

function censusOf(input: DisruptionInput, { refusals }: DisruptionAnswer): DisruptionCensus {
  const { nodes } = input;
  const pools = new Map<string, { initialized: number; unusable: number; leaving: number }>();
  for (const node of nodes) {
    const counts = pools.get(node.nodePool) ?? { initialized: 0, unusable: 0, leaving: 0 };
    pools.set(node.nodePool, counts);
    if (!isCounted(node)) continue;
    counts.initialized++;
    if (!node.ready || isGoing(node)) counts.unusable++;
    if (isGoing(node)) counts.leaving++;
  }
  const kept = refusals.filter(({ refusal }) => isOfNode(refusal));
  const keptFor = new Set(kept.map(({ node, reason }) => `${reason} ${node}`));
  const eligible = new Map<string, number>();
  for (const { reason, due, budgetReason } of METHODS) {
    if (due === undefined || budgetReason === undefined) continue;
    const dueNodes = due(input);
    const staying = nodes.filter(({ name, leaving }) => dueNodes.has(name) && !leaving);
    eligible.set(reason, staying.filter(({ name }) => !keptFor.has(`${reason} ${name}`)).length);
  }
  return { pools: [...pools].map(([nodePool, counts]) => ({ nodePool, ...counts })), eligible };
}
