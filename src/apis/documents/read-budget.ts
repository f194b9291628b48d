/** How much of a text is read that may not have been checked before: work is counted, not time. */

export interface ReadBounds {
  /** Tokens of YAML (scalars, signs, line ends, indents), or of JSON. */
  readonly tokens: number;
  readonly documents: number;
}

/**
 * Of one policy ConfigMap: room for about a thousand pools. Reading a token costs about 10 microseconds with all that is
 * made of it, so that this is one to two seconds at the worst.
 */
export const POLICY_BOUNDS: ReadBounds = { tokens: 150_000, documents: 1000 };

/** Shared by all texts that one ConfigMap holds. */
export class ReadBudget {
  readonly bounds: ReadBounds;
  #tokens: number;
  #documents: number;

  constructor(bounds: ReadBounds) {
    this.bounds = bounds;
    this.#tokens = bounds.tokens;
    this.#documents = bounds.documents;
  }

  /** Answers whether there may be so many more tokens. */
  takeTokens(count: number): boolean {
    this.#tokens -= count;
    return this.#tokens >= 0;
  }

  /** Answers whether there may be another document. */
  takeDocument(): boolean {
    this.#documents--;
    return this.#documents >= 0;
  }

  /** Why nothing more is read; undefined while something may be. */
  get excess(): string | undefined {
    const { tokens, documents } = this.bounds;
    if (this.#tokens < 0) return `more than ${String(tokens)} tokens${SPLIT}`;
    return this.#documents < 0 ? `more than ${String(documents)} documents${SPLIT}` : undefined;
  }
}

const SPLIT = ' in one ConfigMap: split it into several; nothing behind this place is read';
