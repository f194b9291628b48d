/** Which Decisions are too many. */
import type { Decision } from '../../domain/records/decision.js';

/** Beyond what must go, so that they need not be sorted for each. */
const SLACK = 50;

export interface RetentionOptions {
  /** Decisions kept. */
  readonly most: number;
  readonly decisions: { readonly size: number; values(): Iterable<Decision> };
}

export class Retention {
  readonly #options: RetentionOptions;
  /** Newest first. */
  #doomed: Decision[] = [];

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** The oldest one, when there are as many as may be kept: it has to go before another is made. */
  next(): Decision | undefined {
    const { most, decisions } = this.#options;
    if (decisions.size < most) return undefined;
    if (this.#doomed.length === 0) {
      const oldestFirst = [...decisions.values()].sort(byAge);
      this.#doomed = oldestFirst.slice(0, decisions.size - most + SLACK).reverse();
    }
    return this.#doomed.pop();
  }
}

function byAge(a: Decision, b: Decision): number {
  return a.spec.time - b.spec.time || (a.name < b.name ? -1 : 1);
}
