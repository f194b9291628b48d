/** The other side of WorkerPlanner: the program as a thread that only plans. */
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Clock } from '../../ports/clock.js';
import { ClusterCopy } from './messages/cluster-copy.js';
import type { PlannerMessage, PlannerReply, PlannerWorkerData } from './messages/message.js';
import { AnswerPacker, buffersOf, type PackedAnswer } from './messages/packed-answer.js';
import { type Solve, solver } from './solve.js';
import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { pid } from 'node:process';

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
    if (message.isFull === true) port.postMessage({ outcome: 'taken' } satisfies PlannerReply);
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
      port.postMessage({ id, outcome: 'error', message: String(error) } satisfies PlannerReply);
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

/**
 * More than the first thread has. As good as more on two cores; still a third of what a program beside it gets where the processes
 * of a host share its cores.
 */
const FURTHER_NICENESS = 5;

/** Of the threads that yield: never less than what the process was started with. */
export function plannerNiceness(): number {
  return Math.min(constants.priority.PRIORITY_LOW, getPriority(pid) + FURTHER_NICENESS);
}

const THREADS = '/proc/self/task';

/**
 * Lowers the priority of every thread of the process but the first, which answers; that needs no rights. The others are
 * this one and those that V8 keeps to compile and to collect garbage, of which planning makes nearly all. Linux gives
 * threads numbers like those of processes (setpriority(2), proc_pid_task(5)); elsewhere nothing changes.
 */
function yieldToOthers(): void {
  try {
    const niceness = plannerNiceness();
    for (const thread of readdirSync(THREADS).map(Number)) if (thread !== pid) yieldOf(thread, niceness);
  } catch {
    // No such folder: planning is right in any case.
  }
}

function yieldOf(thread: number, niceness: number): void {
  try {
    setPriority(thread, niceness);
  } catch {
    // It has ended meanwhile, or the system does not let us.
  }
}
