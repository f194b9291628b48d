/** Planning in a thread of its own, so that this one is free to answer kube-scheduler and to renew its lease. */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { DisruptAnswer, DisruptRequest, PlanAnswer, Planner, PlanRequest } from '../../ports/planner.js';
import type { PortError, PortErrorCode } from '../../ports/port-error.js';
import type {
  PlannerAnswer,
  PlannerQuestion,
  PlannerReply,
  PlannerTask,
  PlannerWorkerData,
} from './message.js';
import { asDisruption, asPlan, refused } from './solve.js';

export interface WorkerPlannerOptions {
  /** A module that calls startPlannerWorker when it is started as a thread: the program itself. */
  readonly entry: URL;
  /** From when planning begins, the start of the thread included; then the thread is ended. */
  readonly deadlineMillis: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Task {
  readonly work: PlannerTask;
  readonly resolve: (answer: PlannerAnswer) => void;
  readonly reject: (error: PortError) => void;
}

/** A task that the thread is at. */
interface Running extends Task {
  readonly id: number;
  readonly stopTimer: () => void;
}

const WORKER_DATA: PlannerWorkerData = { berth: 'planner' };

/** The thread starts with the first request, and anew with the next one after it broke or was ended. */
export class WorkerPlanner implements Planner {
  readonly #options: WorkerPlannerOptions;
  readonly #waiting: Task[] = [];
  #worker: Worker | undefined;
  #running: Running | undefined;
  #isClosed = false;
  #lastID = 0;

  constructor(options: WorkerPlannerOptions) {
    this.#options = options;
  }

  async plan(request: PlanRequest, signal?: AbortSignal): Promise<PlanAnswer> {
    return asPlan(await this.#ask({ kind: 'plan', request }, signal));
  }

  async disrupt(request: DisruptRequest, signal?: AbortSignal): Promise<DisruptAnswer> {
    return asDisruption(await this.#ask({ kind: 'disrupt', request }, signal));
  }

  #ask(work: PlannerTask, signal: AbortSignal | undefined): Promise<PlannerAnswer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(refused(work.kind, 'Cancelled', { message: 'the signal was aborted' }));
        return;
      }
      if (this.#isClosed) {
        reject(refused(work.kind, 'Unavailable', { message: 'the planner is closed' }));
        return;
      }
      const unlisten = (): void => signal?.removeEventListener('abort', cancel);
      const task: Task = {
        work,
        resolve: (answer) => {
          unlisten();
          resolve(answer);
        },
        reject: (error) => {
          unlisten();
          reject(error);
        },
      };
      const cancel = (): void => {
        this.#cancel(task);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(task);
      this.#next();
    });
  }

  /** Ends the thread; what was asked and not answered fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#discard('Unavailable', 'the planner is closed');
    for (const task of this.#waiting.splice(0))
      task.reject(refused(task.work.kind, 'Unavailable', { message: 'the planner is closed' }));
    await worker?.terminate();
  }

  /** A plan that has been begun is finished, though nobody waits for it: starting a thread anew takes longer. */
  #cancel(task: Task): void {
    const index = this.#waiting.indexOf(task);
    if (index >= 0) this.#waiting.splice(index, 1);
    task.reject(refused(task.work.kind, 'Cancelled', { message: 'the signal was aborted' }));
  }

  /** One at a time, so that each has the whole deadline for itself. */
  #next(): void {
    if (this.#running !== undefined) return;
    const task = this.#waiting.shift();
    if (task === undefined) return;
    const { clock, deadlineMillis } = this.#options;
    const id = ++this.#lastID;
    const stopTimer = clock.timer(deadlineMillis, () => {
      this.#giveUp('TimedOut', `no answer after ${String(deadlineMillis)} milliseconds`);
    });
    this.#running = { ...task, id, stopTimer };
    try {
      this.#worker ??= this.#start();
      const question: PlannerQuestion = { id, task: task.work };
      this.#worker.postMessage(question);
    } catch (error) {
      this.#giveUp('Unavailable', 'the thread cannot be asked', error);
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#options.entry, { workerData: WORKER_DATA, env: {} });
    worker.unref();
    worker.on('message', (reply: PlannerReply) => {
      if (worker === this.#worker) this.#answered(reply);
    });
    worker.on('error', (error) => {
      if (worker === this.#worker) this.#giveUp('Unavailable', 'the thread broke', error);
    });
    worker.on('exit', (code) => {
      if (worker === this.#worker) this.#giveUp('Unavailable', `the thread ended with code ${String(code)}`);
    });
    return worker;
  }

  #answered(reply: PlannerReply): void {
    const running = this.#running;
    if (running?.id !== reply.id) return;
    running.stopTimer();
    this.#running = undefined;
    if ('answer' in reply) running.resolve(reply.answer);
    else running.reject(refused(running.work.kind, 'Unavailable', { message: reply.error }));
    this.#next();
  }

  #giveUp(code: PortErrorCode, message: string, cause?: unknown): void {
    this.#options.logger.error('planning failed', { code, reason: message, error: cause });
    this.#discard(code, message, cause);
    this.#next();
  }

  /** Lets go of the thread and of what it is at. */
  #discard(code: PortErrorCode, message: string, cause?: unknown): void {
    const { logger } = this.#options;
    const [worker, running] = [this.#worker, this.#running];
    this.#worker = undefined;
    this.#running = undefined;
    worker?.terminate().catch((error: unknown) => {
      logger.warn('a planner thread cannot be ended', { error });
    });
    running?.stopTimer();
    running?.reject(refused(running.work.kind, code, { message, cause }));
  }
}
