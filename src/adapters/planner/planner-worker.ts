/** The other side of WorkerPlanner: the program as a thread that only plans. */
import { isMainThread, parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Clock } from '../../ports/clock.js';
import { ClusterCopy } from './messages/cluster-copy.js';
import type { PlannerMessage, PlannerReply, PlannerWorkerData } from './messages/message.js';
import { AnswerPacker, buffersOf, type PackedAnswer } from './messages/packed-answer.js';
import { solver, type Solve } from './solve.js';
import { yieldToOthers } from './yield-to-others.js';

/** Whether this thread was started to plan. */
export function isPlannerWorker(): boolean {
  const data = workerData as Partial<PlannerWorkerData> | null;
  return !isMainThread && data?.berth === 'planner';
}

/** Answers questions, one after the other, until the thread is ended. To be called where `isPlannerWorker`. */
export function startPlannerWorker(clock: Clock, solve: Solve = solver(clock)): void {
  const port = parentPort;
  if (port === null) return;
  yieldToOthers();
  const { interrupted } = workerData as PlannerWorkerData;
  const copy = new ClusterCopy();
  const packer = new AnswerPacker();
  port.on('message', (message: PlannerMessage) => {
    const question = copy.take(message);
    if (question === undefined) return;
    const { id } = question;
    try {
      const answer = solve(question.task(), {
        onDraft: (draft) => {
          say(port, { id, outcome: 'draft' }, packer.draft(draft));
        },
        checkpoint: () => {
          if (Atomics.load(interrupted, 0) === id) throw new Error('nothing waits for the answer any more');
        },
      });
      say(port, { id, outcome: 'answer' }, packer.answer(answer));
    } catch (error) {
      const reply: PlannerReply = { id, outcome: 'error', message: String(error) };
      port.postMessage(reply);
    }
  });
}

function say(
  port: MessagePort,
  kind: { readonly id: number; readonly outcome: 'answer' | 'draft' },
  packed: PackedAnswer,
): void {
  const reply: PlannerReply = { ...kind, packed };
  port.postMessage(reply, buffersOf(packed));
}
