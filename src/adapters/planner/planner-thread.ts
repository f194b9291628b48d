/** One worker thread that plans, and what it has been told of the cluster. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { InputDelta } from './input-delta.js';
import type { PlannerReply, PlannerTask, PlannerWorkerData } from './message.js';
import type { Failure } from './refused.js';

export interface PlannerThreadOptions {
  /** A module that calls startPlannerWorker when it is started as a thread. */
  readonly entry: URL;
  readonly onReply: (reply: PlannerReply) => void;
  /** Called once, after all that it said: it ended, by itself or because it was ended. */
  readonly onEnd: (failure: Failure) => void;
}

const WORKER_DATA: PlannerWorkerData = { berth: 'planner' };

export class PlannerThread {
  readonly #worker: Worker;
  readonly #delta = new InputDelta();
  #isOver = false;

  /** @throws Error when there can be no more threads. */
  constructor({ entry, onReply, onEnd }: PlannerThreadOptions) {
    this.#worker = new Worker(entry, { workerData: WORKER_DATA, env: {} });
    this.#worker.unref();
    let broken: Failure | undefined;
    this.#worker.on('message', onReply);
    this.#worker.on('error', (cause) => {
      broken = { code: 'Unavailable', message: 'the thread broke', cause };
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
