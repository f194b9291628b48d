/** Planning in a thread of its own, so that this one is free to answer kube-scheduler and to renew its lease. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type {
  DisruptAnswer,
  DisruptionQuestion,
  DraftReason,
  PlanAnswer,
  Planner,
  PlanQuestion,
} from '../../ports/planner.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { AskedTask } from './messages/asked-task.js';
import { Outbox } from './messages/outbox.js';
import { AnswerReader, type PackedAnswer } from './messages/packed-answer.js';
import { PlannerThread, type PlannerAnswer } from './planner-thread.js';
import { asDisruption, asPlan, type Failure } from './refused.js';
import type { PlannerQuestion } from './task.js';

export interface WorkerPlannerOptions {
  /** A module that calls startPlannerWorker when it is started as a thread: the program itself. */
  readonly entry: URL;
  readonly cluster: Cluster;
  /** From when planning begins, the start of the thread included; then the thread is ended. */
  readonly deadlineMillis: number;
  /** MiB of JavaScript objects that the thread may hold, below what the process may; undefined: as many as V8 allows. */
  readonly memoryMiB?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A task that the thread is at. */
interface Running {
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
 * The thread follows the cluster from the first question on, and each question is about the cluster as it is when it is asked.
 * A thread that broke or was ended is replaced for the next question. A plan of which it had a draft by then is answered with
 * the draft.
 */
export class WorkerPlanner implements Planner {
  readonly #options: WorkerPlannerOptions;
  readonly #outbox: Outbox;
  /** Shared with the thread: the id of the question that it need not answer any more. */
  readonly #interrupted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #thread: PlannerThread | undefined;
  /** Of what this thread says. */
  #reader = new AnswerReader();
  #running: Running | undefined;
  #isSending = false;
  #isClosed = false;
  #lastID = 0;

  constructor(options: WorkerPlannerOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.cluster, () => {
      if (!this.#isSending) void this.#send();
    });
  }

  async plan(question: PlanQuestion, signal?: AbortSignal): Promise<PlanAnswer> {
    return asPlan(await this.#ask({ kind: 'plan', question }, signal));
  }

  async disrupt(question: DisruptionQuestion, signal?: AbortSignal): Promise<DisruptAnswer> {
    return asDisruption(await this.#ask({ kind: 'disrupt', question }, signal));
  }

  #ask(work: PlannerQuestion, signal: AbortSignal | undefined): AskedTask['answer'] {
    const id = ++this.#lastID;
    const onCancel = (): void => {
      if (this.#running?.task.id === id) Atomics.store(this.#interrupted, 0, id);
    };
    const task = new AskedTask(id, work, { cluster: this.#options.cluster, signal, onCancel });
    if (this.#isClosed) task.fail(CLOSED);
    else {
      this.#outbox.ask(task);
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
    for (const task of this.#outbox.leave()) task.fail(CLOSED);
    await this.#endThread();
  }

  /**
   * One at a time, so that each has the whole deadline for itself. A plan that has been begun is finished even if its caller has
   * stopped waiting: starting another thread takes longer. A disruption pass ends at its next checkpoint.
   */
  #next(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const task = this.#outbox.begin();
    if (task !== undefined) this.#run(task);
    else if (this.#thread === undefined) this.#outbox.leave();
    // What changed after questions that were cancelled.
    else if (!this.#isSending) void this.#send();
  }

  #run(task: AskedTask): void {
    const { clock, deadlineMillis } = this.#options;
    const late: Failure = {
      code: 'TimedOut',
      message: `no answer after ${String(deadlineMillis)} milliseconds`,
    };
    const running: Running = {
      task,
      startedAt: clock.monotonic(),
      stopTimer: clock.timer(deadlineMillis, () => void this.#giveUp(running, late)),
      draft: undefined,
      isAnswered: false,
      isGivenUp: false,
    };
    this.#running = running;
    if (!this.#isSending) void this.#send(true);
  }

  /**
   * Sends the thread what it has not received, up to the question that has begun: the changes of one turn together, a question
   * at once, and much of either in many turns, since kube-scheduler waits for this thread's answers, and no faster than it is taken.
   */
  async #send(isUrgent = false): Promise<void> {
    this.#isSending = true;
    try {
      if (!isUrgent) await nextTurn();
      for (let thread = this.#receiver(); thread !== undefined; thread = this.#receiver()) {
        const more = thread.send();
        if (more === 'nothing') break;
        if (more !== 'much') continue;
        await nextTurn();
        await thread.room();
      }
    } catch (cause) {
      const failure: Failure = { code: 'Unavailable', message: 'the thread cannot be asked', cause };
      if (this.#running === undefined) this.#lost(failure);
      else void this.#giveUp(this.#running, failure);
    } finally {
      this.#isSending = false;
    }
  }

  /** The thread; a new one where the question that has begun has none. */
  #receiver(): PlannerThread | undefined {
    const running = this.#running;
    const isWanted = running !== undefined && !running.isAnswered && !running.isGivenUp;
    if (this.#thread === undefined && isWanted) this.#thread = this.#start();
    return this.#thread;
  }

  #start(): PlannerThread {
    this.#reader = new AnswerReader();
    const thread = new PlannerThread({
      entry: this.#options.entry,
      outbox: this.#outbox,
      interrupted: this.#interrupted,
      memoryMiB: this.#options.memoryMiB,
      onReply: (reply) => {
        this.#heard(reply);
      },
      onEnd: (failure) => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        if (this.#running === undefined) this.#lost(failure);
        else void this.#giveUp(this.#running, failure);
      },
    });
    return thread;
  }

  /** The next question starts another thread. */
  #lost(failure: Failure): void {
    this.#options.logger.warn('the planner thread ended', { ...failure });
    void this.#endThread();
    if (!this.#outbox.isAsked) this.#outbox.leave();
  }

  #heard(reply: PlannerAnswer): void {
    const running = this.#running;
    if (running?.task.id !== reply.id || running.isAnswered) return;
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
      logger.warn('ended planning and took its draft', { code, reason: message, error: cause });
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
    this.#outbox.end(running.task);
    this.#next();
  }

  /** Lets go of the thread; resolves when all is heard that it said. */
  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    try {
      await thread?.end();
    } catch (error) {
      this.#options.logger.warn('cannot end a planner thread', { error });
    }
  }
}
