/** One worker thread that plans, and what it has been told of the cluster. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { InputDelta } from './input-delta.js';
import type { PlannerReply, PlannerTask, PlannerWorkerData } from './message.js';
import type { Failure } from './refused.js';

export interface PlannerThreadOptions {
  /** A module that calls startPlannerWorker when it is started as a thread. */
  readonly entry: URL;
  /** MiB of JavaScript objects, old ones, after which V8 ends the thread; undefined: V8's own limit. */
  readonly memoryMiB?: number | undefined;
  readonly onReply: (reply: PlannerReply) => void;
  /** Called once, after all that it said: it ended, by itself or because it was ended. */
  readonly onEnd: (failure: Failure) => void;
}

const WORKER_DATA: PlannerWorkerData = { berth: 'planner' };

const MEMORY_SHARE = 0.6;

/**
 * MiB of JavaScript objects that a planner's thread may hold, so that V8 ends the thread before the kernel ends the process:
 * 60 % of the container's memory, or of the machine's where nothing limits the process.
 * @param constrained bytes, of process.constrainedMemory(): 0, undefined or more than there is where nothing does.
 * @param total bytes of the machine.
 */
export function plannerMemoryMiB(constrained: number | undefined, total: number): number {
  const bytes = constrained !== undefined && constrained > 0 ? Math.min(constrained, total) : total;
  return Math.max(1, Math.floor((bytes * MEMORY_SHARE) / 2 ** 20));
}

/** Of V8, when a thread reaches its resource limits (Node's worker_threads). */
function isOutOfMemory(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return code === 'ERR_WORKER_OUT_OF_MEMORY';
}

export class PlannerThread {
  readonly #worker: Worker;
  readonly #delta = new InputDelta();
  #isOver = false;

  /** @throws Error when there can be no more threads. */
  constructor({ entry, memoryMiB, onReply, onEnd }: PlannerThreadOptions) {
    const limits = memoryMiB === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMiB } };
    this.#worker = new Worker(entry, { workerData: WORKER_DATA, env: {}, ...limits });
    this.#worker.unref();
    let broken: Failure | undefined;
    this.#worker.on('message', onReply);
    this.#worker.on('error', (cause) => {
      const message = isOutOfMemory(cause)
        ? `the thread needs more than its ${String(memoryMiB)} MiB of memory`
        : 'the thread broke';
      broken = { code: 'Unavailable', message, cause };
    });
    this.#worker.on('exit', (code) => {
      this.#isOver = true;
      onEnd(broken ?? { code: 'Unavailable', message: `the thread ended with code ${String(code)}` });
    });
  }

  /**
   * Resolves when all is told. Much is told in many turns, for somebody waits for this thread's answers; one question has
   * to be told before the next.
   * @throws Error when the task cannot be told; the thread is of no use then.
   */
  async ask(id: number, task: PlannerTask): Promise<void> {
    for (const message of this.#delta.tell(id, task)) {
      this.#worker.postMessage(message);
      if (message.question === undefined) await nextTurn();
      if (this.#isOver) return;
    }
  }

  /** Resolves after `onEnd`. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }
}
