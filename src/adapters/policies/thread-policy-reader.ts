/** Reads policy ConfigMaps in a thread, so that none of them, whatever it holds, keeps kube-scheduler or the Lease waiting. */
import { Worker } from 'node:worker_threads';
import type { PolicyConfigMapRead } from '../../apis/berth/read-policy-config-map.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PortError, type PortErrorCode } from '../../ports/port-error.js';
import type { PolicyQuestion, PolicyReply, PolicyWorkerData } from './policy-worker.js';

export interface ThreadPolicyReaderOptions {
  /** A module that calls startPolicyWorker when it is started as a thread: the program itself. */
  readonly entry: URL;
  /** From the question on, waiting for others included. A thread that is still at it by then is ended and replaced. */
  readonly deadlineMillis: number;
  /** Questions that may wait; further ones are refused at once. */
  readonly maxWaiting: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A ConfigMap of 1 MiB takes a small part of the old objects. Of young ones V8 would keep 16 to 32 MiB resident. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 6 };
const WORKER_DATA: PolicyWorkerData = { berth: 'policies' };

interface Asked {
  readonly id: number;
  readonly configMap: unknown;
  readonly stopTimer: () => void;
  readonly resolve: (read: PolicyConfigMapRead) => void;
  readonly reject: (error: PortError) => void;
}

/** One ConfigMap at a time, in the order of the questions. */
export class ThreadPolicyReader {
  readonly #options: ThreadPolicyReaderOptions;
  readonly #waiting: Asked[] = [];
  #running: Asked | undefined;
  #thread: Worker | undefined;
  /** The thread has started, and can be asked. */
  #isReady = false;
  #isClosed = false;
  #lastID = 0;

  constructor(options: ThreadPolicyReaderOptions) {
    this.#options = options;
  }

  /**
   * Starts the thread before the first question, which may have little time.
   * @throws Error when there can be no more threads.
   */
  start(): void {
    if (this.#thread !== undefined || this.#isClosed) return;
    const options = { workerData: WORKER_DATA, env: {}, resourceLimits: LIMITS };
    const thread = new Worker(this.#options.entry, options);
    this.#thread = thread;
    this.#isReady = false;
    thread.unref();
    thread.on('message', (reply: PolicyReply) => {
      if (thread === this.#thread) this.#heard(reply);
    });
    let cause: unknown;
    thread.on('error', (error) => (cause = error));
    thread.on('exit', (code) => {
      if (thread === this.#thread) this.#ended(code, cause);
    });
  }

  /**
   * What a ConfigMap holds.
   * @throws PortError TimedOut after the deadline, Unavailable when the thread breaks at it, RateLimited when too many wait.
   */
  read(configMap: unknown): Promise<PolicyConfigMapRead> {
    const { clock, deadlineMillis, maxWaiting } = this.#options;
    if (this.#isClosed) return Promise.reject(failure('Unavailable', 'the reader is closed'));
    if (this.#waiting.length >= maxWaiting)
      return Promise.reject(failure('RateLimited', `${String(maxWaiting)} requests are already waiting`));
    const id = ++this.#lastID;
    const stopTimer = clock.timer(deadlineMillis, () => {
      this.#tooLate(id);
    });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, configMap, stopTimer, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread; what was asked and not answered fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    this.#thread = undefined;
    const open = [...(this.#running === undefined ? [] : [this.#running]), ...this.#waiting.splice(0)];
    this.#running = undefined;
    for (const asked of open) fail(asked, failure('Unavailable', 'the reader is closed'));
    await thread?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined || this.#waiting.length === 0) return;
    try {
      this.start();
    } catch (cause) {
      for (const asked of this.#waiting.splice(0))
        fail(asked, failure('Unavailable', 'there can be no thread', cause));
      return;
    }
    if (!this.#isReady) return;
    this.#running = this.#waiting.shift();
    if (this.#running === undefined) return;
    const question: PolicyQuestion = { id: this.#running.id, configMap: this.#running.configMap };
    this.#thread?.postMessage(question);
  }

  #heard(reply: PolicyReply): void {
    if ('ready' in reply) this.#isReady = true;
    else if (reply.id === this.#running?.id) {
      const asked = this.#running;
      this.#running = undefined;
      if ('read' in reply) {
        asked.stopTimer();
        asked.resolve(reply.read);
      } else fail(asked, failure('Unavailable', reply.error));
    }
    this.#next();
  }

  #tooLate(id: number): void {
    const late = failure('TimedOut', `not read after ${String(this.#options.deadlineMillis)} milliseconds`);
    const index = this.#waiting.findIndex((asked) => asked.id === id);
    const [waiting] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (waiting !== undefined) fail(waiting, late);
    else if (this.#running?.id === id) this.#replace(this.#running, late);
  }

  /** Nothing but its end stops a thread that is at work. */
  #replace(asked: Asked, error: PortError): void {
    const thread = this.#thread;
    this.#options.logger.warn('Replaced the policy reader thread', { reason: error.message });
    this.#thread = undefined;
    this.#running = undefined;
    fail(asked, error);
    // Its successor asks for the next question once it is ready.
    thread?.terminate().catch((cause: unknown) => {
      this.#options.logger.warn('Failed to terminate the policy reader thread', { error: cause });
    });
    this.start();
  }

  #ended(code: number, cause: unknown): void {
    const asked = this.#running === undefined ? [] : [this.#running];
    // One that never started would not start for the next question either, and must not be tried in a circle.
    const failing = this.#isReady ? asked : [...asked, ...this.#waiting.splice(0)];
    this.#thread = undefined;
    this.#running = undefined;
    this.#options.logger.warn('The policy reader thread exited', { code, error: cause });
    for (const each of failing)
      fail(each, failure('Unavailable', `the thread ended with code ${String(code)}`, cause));
    this.#next();
  }
}

function failure(code: PortErrorCode, message: string, cause?: unknown): PortError {
  return new PortError(code, { operation: 'read policies', message, cause });
}

function fail({ stopTimer, reject }: Asked, error: PortError): void {
  stopTimer();
  reject(error);
}
