/** A mutex for asynchronous work. */
import { PortError } from '../../ports/port-error.js';
import { untilAborted } from '../time/deadline.js';
import { linkedSignal } from '../time/linked-signal.js';

/** Of work that gave way to other work. */
export const INTERRUPTED = Symbol('interrupted');

const GAVE_WAY = new PortError('Cancelled', {
  operation: 'work exclusively',
  message: 'other work comes first',
});

/** Work that has its turn, or waits for it. */
interface Turn {
  hasBegun: boolean;
  begin: () => void;
}

/** First come, first served, but for work that comes first. */
export class Mutex {
  #isTaken = false;
  readonly #urgent: Turn[] = [];
  readonly #others: Turn[] = [];
  /** Set while interruptible work runs. */
  #interrupt: (() => void) | undefined;

  /**
   * Runs the work after all earlier calls have ended.
   * @throws PortError Cancelled, when the signal is aborted before the work starts; else whatever the work throws.
   */
  runExclusive<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#run(signal, this.#others, work);
  }

  /**
   * Runs the work before all other work that waits, and interrupts what runs if it may be interrupted.
   * @throws as `runExclusive`.
   */
  runFirst<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (!signal.aborted) this.#interrupt?.();
    return this.#run(signal, this.#urgent, work);
  }

  /**
   * As `runExclusive`, with a signal of the work's own, which is aborted when other work is to run first. Answers INTERRUPTED
   * when the work fails after that.
   */
  async runInterruptibly<T>(
    signal: AbortSignal,
    work: (own: AbortSignal) => Promise<T>,
  ): Promise<T | typeof INTERRUPTED> {
    return this.#run(signal, this.#others, async () => {
      const own = linkedSignal(signal);
      this.#interrupt = () => {
        own.abort(GAVE_WAY);
      };
      try {
        return await work(own.signal);
      } catch (error) {
        if (!own.signal.aborted || signal.aborted) throw error;
        return INTERRUPTED;
      } finally {
        this.#interrupt = undefined;
        own.unlink();
      }
    });
  }

  async #run<T>(signal: AbortSignal, waiting: Turn[], work: () => Promise<T>): Promise<T> {
    const turn: Turn = { hasBegun: false, begin: () => undefined };
    try {
      await untilAborted(signal, 'wait for the mutex', () => this.#enter(turn, waiting));
      return await work();
    } finally {
      if (turn.hasBegun) this.#leave();
      else remove(waiting, turn);
    }
  }

  #enter(turn: Turn, waiting: Turn[]): Promise<void> {
    return new Promise((resolve) => {
      turn.begin = () => {
        turn.hasBegun = true;
        resolve();
      };
      if (this.#isTaken) waiting.push(turn);
      else {
        this.#isTaken = true;
        turn.begin();
      }
    });
  }

  /** The next one's turn; else the mutex is free. */
  #leave(): void {
    const next = this.#urgent.shift() ?? this.#others.shift();
    if (next === undefined) this.#isTaken = false;
    else next.begin();
  }
}

function remove(turns: Turn[], turn: Turn): void {
  const index = turns.indexOf(turn);
  if (index >= 0) turns.splice(index, 1);
}
