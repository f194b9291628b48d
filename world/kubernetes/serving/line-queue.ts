/** A queue of lines between a writer and a reader. */

/** A reader this far behind is cut off, as the API server does. */
const MOST_WAITING = 100_000;

export class LineQueue implements AsyncIterable<string> {
  readonly #ended: () => void;
  #waiting: string[] = [];
  #hasEnded = false;
  #wake: () => void = () => undefined;

  /** `ended` is called once, whether the writer or the reader ends it. */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  push(line: string): void {
    if (this.#hasEnded) return;
    this.#waiting.push(`${line}\n`);
    if (this.#waiting.length > MOST_WAITING) this.end();
    this.#wake();
  }

  /** What waits is still read. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#ended();
    this.#wake();
  }

  /** For one reader. */
  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    try {
      for (;;) {
        const lines = this.#waiting;
        this.#waiting = [];
        if (lines.length > 0) yield lines.join('');
        else if (this.#isOver()) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.end();
    }
  }

  #isOver(): boolean {
    return this.#hasEnded && this.#waiting.length === 0;
  }
}
