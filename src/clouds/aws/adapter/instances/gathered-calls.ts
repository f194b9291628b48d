/** Calls about single instances that are asked for at about the same time, sent as one. */
import { PortError } from '../../../../ports/port-error.js';
import { untilAborted } from '../../../../runtime/time/deadline.js';

/** Id → why a call failed for it. */
export type Failures = ReadonlyMap<string, unknown>;

/** What one caller asked for. */
interface Asked {
  readonly ids: readonly string[];
  answer: (failures: Failures) => void;
  /** Its caller no longer waits. */
  isGivenUp: boolean;
  onGivenUp: () => void;
}

/** A call that takes long does not keep others waiting; what comes while so many are under way is one call then. */
const MOST_AT_ONCE = 2;

export class GatheredCalls {
  readonly #operation: string;
  readonly #send: (ids: readonly string[], signal: AbortSignal) => Promise<Failures>;
  #waiting: Asked[] = [];
  #underWay = 0;

  /** `send` answers for each id by itself; where it throws, it has failed for all. */
  constructor(operation: string, send: (ids: readonly string[], signal: AbortSignal) => Promise<Failures>) {
    this.#operation = operation;
    this.#send = send;
  }

  /**
   * Answers which of the ids it failed for. A call is aborted once no caller waits for it any more.
   * @throws PortError Cancelled, when the signal is aborted before.
   */
  async ask(ids: readonly string[], signal?: AbortSignal): Promise<Failures> {
    if (ids.length === 0) return new Map();
    const asked: Asked = { ids, answer: () => undefined, isGivenUp: false, onGivenUp: () => undefined };
    try {
      const failures =
        signal === undefined
          ? await this.#answerTo(asked)
          : await untilAborted(signal, this.#operation, () => this.#answerTo(asked));
      return new Map([...failures].filter(([id]) => ids.includes(id)));
    } catch (error) {
      asked.isGivenUp = true;
      asked.onGivenUp();
      throw error;
    }
  }

  #answerTo(asked: Asked): Promise<Failures> {
    return new Promise((answer) => {
      asked.answer = answer;
      this.#waiting.push(asked);
      this.#sendNext();
    });
  }

  #sendNext(): void {
    if (this.#underWay >= MOST_AT_ONCE) return;
    const together = this.#waiting.filter(({ isGivenUp }) => !isGivenUp);
    this.#waiting = [];
    if (together.length === 0) return;
    this.#underWay++;
    void this.#sendTogether(together).then((failures) => {
      this.#underWay--;
      for (const { answer } of together) answer(failures);
      this.#sendNext();
    });
  }

  async #sendTogether(together: readonly Asked[]): Promise<Failures> {
    const abort = new AbortController();
    for (const asked of together)
      asked.onGivenUp = () => {
        if (together.every(({ isGivenUp }) => isGivenUp))
          abort.abort(
            new PortError('Cancelled', { operation: this.#operation, message: 'no longer needed' }),
          );
      };
    const ids = [...new Set(together.flatMap((asked) => asked.ids))];
    try {
      return await this.#send(ids, abort.signal);
    } catch (error) {
      return new Map(ids.map((id) => [id, error]));
    }
  }
}
