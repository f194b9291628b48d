/** One worker thread that plans, and what it has received of the cluster. */
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { PlannerMessage, PlannerReply, PlannerWorkerData } from './messages/message.js';
import type { Outbox } from './messages/outbox.js';
import type { Failure } from './refused.js';
import { MOST_SENT, MessageWriter } from './messages/message-writer.js';

/** What it says of questions. */
export type PlannerAnswer = Exclude<PlannerReply, { readonly outcome: 'taken' }>;

export interface PlannerThreadOptions {
  /** A module that calls startPlannerWorker when it is started as a thread. */
  readonly entry: URL;
  /** What it is to receive. */
  readonly outbox: Outbox;
  /** As in PlannerWorkerData. */
  readonly interrupted: PlannerWorkerData['interrupted'];
  /** MiB of JavaScript objects, old ones, after which V8 ends the thread; undefined: V8's own limit. */
  readonly memoryMiB?: number | undefined;
  readonly onReply: (reply: PlannerAnswer) => void;
  /** Called once, after all that it said: it ended, by itself or because it was ended. */
  readonly onEnd: (failure: Failure) => void;
}

/** Bytes that are in no heap that counts here: the program and its code, buffers, stacks, young objects, the thread that reads policies. */
const REST = 160 * 2 ** 20;
/** No thread plans with fewer. */
const LEAST = 64 * 2 ** 20;
const LARGEST_SHARE = 0.6;

export interface ProcessMemory {
  /** Bytes, of process.constrainedMemory(): 0, undefined or more than there is where nothing limits the process. */
  readonly constrained: number | undefined;
  /** Bytes of the host. */
  readonly total: number;
  /** Bytes that the main thread's heap may have: in a container Node chooses half of the container's memory. */
  readonly mainHeap: number;
}

/**
 * MiB of JavaScript objects that a planner's thread may hold, so that V8 ends the thread before the kernel ends the process: what
 * the container's memory, or the host's where nothing limits the process, leaves beside the main thread; 60 % of it at most.
 */
export function plannerMemoryMiB({ constrained, total, mainHeap }: ProcessMemory): number {
  const bytes = constrained !== undefined && constrained > 0 ? Math.min(constrained, total) : total;
  const left = Math.max(LEAST, bytes - mainHeap - REST);
  return Math.floor(Math.min(left, bytes * LARGEST_SHARE) / 2 ** 20);
}

/**
 * MiB of young objects, whatever the thread's memory: a third of it is the most that one collection moves to the old ones.
 * Node lets a thread at its limit have 16 MiB more while it ends it; a collection that moves more ends the whole process.
 * V8's own size is 48 MiB in Node 20 and 96 MiB in Node 24.
 */
const YOUNG_MIB = 24;

function limits(memoryMiB: number | undefined): Pick<WorkerOptions, 'resourceLimits'> {
  if (memoryMiB === undefined) return {};
  return { resourceLimits: { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb: YOUNG_MIB } };
}

/**
 * Full messages that the thread may have before it: of a whole cluster they would be 100 MiB, which it takes more slowly than they are
 * written.
 */
const MOST_AHEAD = 16;

/** Objects and keys of a message. */
function sizeOf({ changes, shared }: PlannerMessage): number {
  return changes.reduce(
    (sum, { gone, objects }) => sum + gone.length + objects.length,
    shared.objects.length,
  );
}

/** Of V8, when a thread reaches its resource limits (Node's worker_threads). */
function isOutOfMemory(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return code === 'ERR_WORKER_OUT_OF_MEMORY';
}

export class PlannerThread {
  readonly #worker: Worker;
  readonly #messages: ReturnType<MessageWriter['messages']>;
  #isOver = false;
  /** Full messages that it has not taken. */
  #ahead = 0;
  #onRoom: () => void = () => undefined;

  /** @throws Error when there can be no more threads. */
  constructor({ entry, outbox, interrupted, memoryMiB, onReply, onEnd }: PlannerThreadOptions) {
    const workerData: PlannerWorkerData = { berth: 'planner', interrupted };
    this.#worker = new Worker(entry, { workerData, env: {}, ...limits(memoryMiB) });
    this.#worker.unref();
    outbox.restart();
    this.#messages = new MessageWriter().messages(outbox);
    let broken: Failure | undefined;
    this.#worker.on('message', (reply: PlannerReply) => {
      if (reply.outcome === 'taken') this.#taken();
      else onReply(reply);
    });
    this.#worker.on('error', (cause) => {
      const message = isOutOfMemory(cause)
        ? `the thread needs more than its ${String(memoryMiB)} MiB of memory`
        : 'the thread broke';
      broken = { code: 'Unavailable', message, cause };
    });
    this.#worker.on('exit', (code) => {
      this.#isOver = true;
      this.#onRoom();
      onEnd(broken ?? { code: 'Unavailable', message: `the thread ended with code ${String(code)}` });
    });
  }

  /**
   * Sends the next message. Returns `nothing` when there is none for now, `much` when other work is to have a turn before the
   * next.
   * @throws Error when it cannot be sent; the thread is of no use then.
   */
  send(): 'nothing' | 'little' | 'much' {
    const message = this.#isOver ? undefined : this.#messages.next().value;
    if (message === undefined) return 'nothing';
    const isFull = sizeOf(message) >= MOST_SENT;
    this.#worker.postMessage(isFull ? { ...message, isFull } : message);
    if (!isFull) return 'little';
    this.#ahead++;
    return 'much';
  }

  /** Resolves once there are few messages that the thread has not taken, or it is over. */
  room(): Promise<void> {
    if (this.#ahead < MOST_AHEAD || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => (this.#onRoom = resolve));
  }

  #taken(): void {
    this.#ahead--;
    if (this.#ahead < MOST_AHEAD) this.#onRoom();
  }

  /** Resolves after `onEnd`. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#onRoom();
    await this.#worker.terminate();
  }
}
