/** Planning in a thread of its own, so that this one is free to answer kube-scheduler and to renew its lease. */
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type {
  DisruptAnswer,
  DisruptRequest,
  DraftReason,
  PlanAnswer,
  Planner,
  PlanRequest,
} from '../../ports/planner.js';
import { AskedTask } from './asked-task.js';
import type { PlannerReply } from './message.js';
import { AnswerReader, type PackedAnswer } from './packed-answer.js';
import { PlannerThread } from './planner-thread.js';
import { asDisruption, asPlan, type Failure } from './refused.js';

export interface WorkerPlannerOptions {
  /** A module that calls startPlannerWorker when it is started as a thread: the program itself. */
  readonly entry: URL;
  /** From when planning begins, the start of the thread included; then the thread is ended. */
  readonly deadlineMillis: number;
  /** MiB of JavaScript objects that the thread may hold, below what the process may; undefined: as many as V8 allows. */
  readonly memoryMiB?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A task that the thread is at. */
interface Running {
  readonly id: number;
  readonly task: AskedTask;
  readonly startedAt: number;
  readonly stopTimer: () => void;
  /** The newest one, unread: most are not needed. */
  draft: PackedAnswer | undefined;
  /** The thread has answered; or it is being ended, and what it has said by then counts. */
  isAnswered: boolean;
  isGivenUp: boolean;
}

const CLOSED: Failure = { code: 'Unavailable', message: 'the planner is closed' };

/**
 * The thread starts with the first request, and anew with the next one after it broke or was ended. A plan of which it had
 * a draft by then is answered with the draft.
 */
export class WorkerPlanner implements Planner {
  readonly #options: WorkerPlannerOptions;
  readonly #waiting: AskedTask[] = [];
  #thread: PlannerThread | undefined;
  /** Of what this thread says. */
  #reader = new AnswerReader();
  #running: Running | undefined;
  #isClosed = false;
  #lastID = 0;

  constructor(options: WorkerPlannerOptions) {
    this.#options = options;
  }

  async plan(request: PlanRequest, signal?: AbortSignal): Promise<PlanAnswer> {
    return asPlan(await this.#ask(new AskedTask({ kind: 'plan', request }, signal)));
  }

  async disrupt(request: DisruptRequest, signal?: AbortSignal): Promise<DisruptAnswer> {
    return asDisruption(await this.#ask(new AskedTask({ kind: 'disrupt', request }, signal)));
  }

  #ask(task: AskedTask): AskedTask['answer'] {
    if (this.#isClosed) task.fail(CLOSED);
    else {
      this.#waiting.push(task);
      this.#next();
    }
    return task.answer;
  }

  /** Ends the thread; what was asked and not answered fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.stopTimer();
    this.#running?.task.fail(CLOSED);
    this.#running = undefined;
    for (const task of this.#waiting.splice(0)) task.fail(CLOSED);
    await this.#endThread();
  }

  /**
   * One at a time, so that each has the whole deadline for itself. One that has been begun is finished, though nobody may
   * wait for it any more: starting a thread anew takes longer.
   */
  #next(): void {
    if (this.#running !== undefined) return;
    let task = this.#waiting.shift();
    while (task?.isCancelled === true) task = this.#waiting.shift();
    if (task !== undefined) this.#run(task);
  }

  #run(task: AskedTask): void {
    const { clock, deadlineMillis } = this.#options;
    const late: Failure = {
      code: 'TimedOut',
      message: `no answer after ${String(deadlineMillis)} milliseconds`,
    };
    const running: Running = {
      id: ++this.#lastID,
      task,
      startedAt: clock.monotonic(),
      stopTimer: clock.timer(deadlineMillis, () => void this.#giveUp(running, late)),
      draft: undefined,
      isAnswered: false,
      isGivenUp: false,
    };
    this.#running = running;
    this.#tell(running).catch((cause: unknown) =>
      this.#giveUp(running, { code: 'Unavailable', message: 'the thread cannot be asked', cause }),
    );
  }

  async #tell({ id, task }: Running): Promise<void> {
    this.#thread ??= this.#start();
    await this.#thread.ask(id, task.work);
  }

  #start(): PlannerThread {
    this.#reader = new AnswerReader();
    const thread = new PlannerThread({
      entry: this.#options.entry,
      memoryMiB: this.#options.memoryMiB,
      onReply: (reply) => {
        this.#heard(reply);
      },
      onEnd: (failure) => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        if (this.#running === undefined)
          this.#options.logger.warn('the planner thread ended', { ...failure });
        else void this.#giveUp(this.#running, failure);
      },
    });
    return thread;
  }

  #heard(reply: PlannerReply): void {
    const running = this.#running;
    if (running?.id !== reply.id || running.isAnswered) return;
    if (reply.outcome === 'draft') {
      running.draft = reply.packed;
      return;
    }
    running.isAnswered = true;
    running.stopTimer();
    if (reply.outcome !== 'error') void this.#answer(running, reply.packed);
    else {
      running.task.fail({ code: 'Unavailable', message: reply.message });
      this.#done(running);
    }
  }

  /** Ends the thread. What it had found by then is the answer. */
  async #giveUp(running: Running, failure: Failure): Promise<void> {
    if (running.isGivenUp || !this.#isWaitedFor(running)) return;
    running.isGivenUp = true;
    running.stopTimer();
    await this.#endThread();
    // What it said at the last moment has been heard now.
    if (!this.#isWaitedFor(running)) return;
    const { code, message, cause } = failure;
    const { logger } = this.#options;
    if (running.draft === undefined) {
      logger.error('planning failed', { code, reason: message, error: cause });
      running.task.fail(failure);
      this.#done(running);
    } else {
      logger.warn('planning was ended, the draft counts', { code, reason: message, error: cause });
      await this.#answer(running, running.draft, { code, message });
    }
  }

  async #answer(running: Running, packed: PackedAnswer, draft?: DraftReason): Promise<void> {
    try {
      const answer = await this.#reader.read(packed);
      const millis = this.#options.clock.monotonic() - running.startedAt;
      running.task.succeed(draft === undefined ? answer : { ...asPlan(answer), millis, draft });
    } catch (cause) {
      running.task.fail({ code: 'Unavailable', message: 'the answer cannot be read', cause });
      // What it says next may be about this answer.
      await this.#endThread();
    }
    this.#done(running);
  }

  #isWaitedFor(running: Running): boolean {
    return running === this.#running && !running.isAnswered;
  }

  #done(running: Running): void {
    if (running !== this.#running) return;
    this.#running = undefined;
    this.#next();
  }

  /** Lets go of the thread; resolves when all is heard that it said. */
  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    try {
      await thread?.end();
    } catch (error) {
      this.#options.logger.warn('a planner thread cannot be ended', { error });
    }
  }
}
