/** All nodes of a wish change hands: planned, refused, carried out, each by itself, a few at a time. */
import { adoptSteps, releaseSteps, type HandoverStep } from '../../planning/handover/steps.js';
import { hasCode } from '../../ports/port-error.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import { carryOut, type HandoverContext } from './carry-out.js';
import { stateOf, type HandoverNode } from './handover-node.js';
import { lookAgain, refusal, survey, type HandoverWish } from './survey.js';

export type HandoverOutcome = 'planned' | 'done' | 'unchanged' | 'refused' | 'failed';

export interface HandoverResult {
  readonly it: HandoverNode;
  readonly outcome: HandoverOutcome;
  /** What is to be done, or was. */
  readonly steps: readonly HandoverStep[];
  /** Why it was refused, or what failed. */
  readonly message: string | undefined;
  /** It failed for want of rights, as the others would. */
  readonly isForbidden?: boolean;
}

export interface HandoverRun {
  readonly wish: HandoverWish;
  readonly context: HandoverContext;
  readonly isDryRun: boolean;
  /** Asked before each node. @throws PortError, when the other controller runs: no further node is begun. */
  readonly check: () => Promise<void>;
  /** Called with each node that is through, and how many there are. */
  readonly tell: (result: HandoverResult, total: number) => void;
}

const AT_ONCE = 10;
/** Looks at a node that other clients change meanwhile. */
const MOST_LOOKS = 10;

/** In the order of names. @throws PortError, when nothing was begun, or the check failed. */
export async function handOver(run: HandoverRun): Promise<readonly HandoverResult[]> {
  const { wish, context, isDryRun, check, tell } = run;
  const found = await survey(wish, context.objects, context.handover);
  const results = new Map<string, HandoverResult>();
  const stop = new AbortController();
  const [failure] = await tryInParallel(
    found,
    async (it) => {
      const planned = planFor(it, run);
      const isWork = planned.outcome === 'planned' && !isDryRun;
      if (isWork)
        await check().catch((error: unknown) => {
          stop.abort();
          throw error;
        });
      const result = isWork ? await through(it, run) : planned;
      results.set(it.name, result);
      if (result.isForbidden === true) stop.abort();
      tell(result, found.length);
    },
    { atOnce: AT_ONCE, signal: stop.signal },
  );
  if (failure instanceof Error) throw failure;
  return found.map((it) => results.get(it.name) ?? notBegun(it));
}

function notBegun(it: HandoverNode): HandoverResult {
  const message = 'it was not begun, since rights are missing';
  return { it, outcome: 'refused', steps: [], message };
}

function planFor(it: HandoverNode, { wish, context }: HandoverRun): HandoverResult {
  const state = stateOf(it, context);
  const steps = wish.direction === 'adopting' ? adoptSteps(state) : releaseSteps(state);
  if (steps.length === 0) return { it, outcome: 'unchanged', steps, message: undefined };
  const message = refusal(it, wish, context);
  return message === undefined
    ? { it, outcome: 'planned', steps, message }
    : { it, outcome: 'refused', steps: [], message };
}

/** What another client changed is looked at again: the steps are planned from what is there. */
async function through(first: HandoverNode, run: HandoverRun): Promise<HandoverResult> {
  const { wish, context } = run;
  const done: HandoverStep[] = [];
  let it = first;
  for (let look = 1; ; look++) {
    const plan = planFor(it, run);
    if (plan.outcome === 'unchanged') return { it, outcome: 'done', steps: done, message: undefined };
    if (plan.outcome === 'refused') return { ...plan, steps: done };
    try {
      for (const step of plan.steps) {
        it = await carryOut(step, it, wish.direction, context);
        done.push(step);
      }
      return { it, outcome: 'done', steps: done, message: undefined };
    } catch (error) {
      const isMoved = hasCode(error, 'Conflict', 'NotFound', 'AlreadyExists');
      if (!isMoved || look === MOST_LOOKS) {
        const message = error instanceof Error ? error.message : String(error);
        return { it, outcome: 'failed', steps: done, message, isForbidden: hasCode(error, 'Forbidden') };
      }
      it = await lookAgain(it, context.objects, context.handover);
    }
  }
}
