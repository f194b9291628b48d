/** Keeps the failures that the process logged recently, for the dashboard. */
import type { Clock } from '../../ports/clock.js';
import type { LogFields, Logger } from '../../ports/logger.js';

export interface RecentFailures {
  readonly count: number;
  /** The newest: what failed and, where it is known, why. */
  readonly last: { readonly at: number; readonly text: string };
}

/** Failures older than this are not recent, in milliseconds. */
const RECENT_MILLIS = 600_000;
/** Of which so many are remembered; more are counted as that many. */
const MOST = 1000;
const MOST_CHARACTERS = 300;

export class FailureMemory {
  readonly #clock: Clock;
  /** When each happened, in milliseconds since 1970, oldest first. */
  #moments: number[] = [];
  #text = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The logger, with an ear: its errors, and its warnings that carry one, are failures. */
  listening(logger: Logger): Logger {
    return {
      debug: (message, fields) => {
        logger.debug(message, fields);
      },
      info: (message, fields) => {
        logger.info(message, fields);
      },
      warn: (message, fields) => {
        if (fields?.['error'] !== undefined) this.#remember(message, fields);
        logger.warn(message, fields);
      },
      error: (message, fields) => {
        this.#remember(message, fields);
        logger.error(message, fields);
      },
      child: (fields) => this.listening(logger.child(fields)),
    };
  }

  /** undefined when nothing has failed of late. */
  recent(): RecentFailures | undefined {
    const since = this.#clock.now() - RECENT_MILLIS;
    this.#moments = this.#moments.filter((at) => at > since);
    const at = this.#moments.at(-1);
    return at === undefined ? undefined : { count: this.#moments.length, last: { at, text: this.#text } };
  }

  #remember(message: string, fields: LogFields | undefined): void {
    const error = fields?.['error'];
    const why = error instanceof Error ? `: ${error.message}` : '';
    this.#text = `${message}${why}`.slice(0, MOST_CHARACTERS);
    this.#moments.push(this.#clock.now());
    if (this.#moments.length > MOST) this.#moments.shift();
  }
}
