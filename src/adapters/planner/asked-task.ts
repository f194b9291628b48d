/** A task that somebody waits for, until it is answered or its signal is aborted. */
import type { PortError } from '../../ports/port-error.js';
import type { PlannerAnswer, PlannerTask } from './message.js';
import { refused, type Failure } from './refused.js';

const CANCELLED: Failure = { code: 'Cancelled', message: 'the signal was aborted' };

export class AskedTask {
  readonly work: PlannerTask;
  /** Rejected with a PortError. */
  readonly answer: Promise<PlannerAnswer>;
  #resolve: (answer: PlannerAnswer) => void = () => undefined;
  #reject: (error: PortError) => void = () => undefined;
  #unlisten: () => void = () => undefined;
  #isCancelled: boolean;

  constructor(work: PlannerTask, signal: AbortSignal | undefined) {
    this.work = work;
    this.#isCancelled = signal?.aborted === true;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const cancel = (): void => {
      this.#isCancelled = true;
      this.fail(CANCELLED);
    };
    if (this.#isCancelled) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    this.#unlisten = () => signal?.removeEventListener('abort', cancel);
  }

  /** Whether nobody waits any more. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  succeed(answer: PlannerAnswer): void {
    this.#unlisten();
    this.#resolve(answer);
  }

  fail(failure: Failure): void {
    this.#unlisten();
    this.#reject(refused(this.work.kind, failure));
  }
}
