/** What fails in Berth while the demo runs, read from its log and told at once: each cause once, and how often in the end. */
import { counted } from '../../../src/domain/values/text.js';
import type { Finding } from '../stages/stage.js';

/** The fields of a log line that matter here. */
interface LogLine {
  readonly level?: unknown;
  readonly message?: unknown;
  readonly error?: { readonly message?: unknown } | undefined;
}

const MOST_WIDTH = 200;
/** Losing the lead is no failure of a call, but of everything that was going on. */
const LEAD_LOST = 'Stopped leading';

export class FailureLog {
  readonly #write: (line: string) => void;
  /** By the text that was printed. */
  readonly #counts = new Map<string, number>();

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** A line of Berth's log; what is none, such as a stack trace, is a failure by itself. */
  logged(line: string): void {
    const failure = failureIn(line);
    if (failure !== undefined) this.#tell(failure);
  }

  /** Berth's process ended without being asked to. */
  ended(how: string): void {
    this.#tell(`the process exited (${how}) and is restarted`);
  }

  finding(): Finding {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    const seen =
      total === 0 ? 'none' : `${counted(total, 'failure')} of ${counted(this.#counts.size, 'kind')}`;
    return { what: 'failures of Berth', expected: 'none', seen, isMet: total === 0 };
  }

  #tell(failure: string): void {
    const count = (this.#counts.get(failure) ?? 0) + 1;
    this.#counts.set(failure, count);
    if (count === 1) this.#write(`Berth failed: ${failure}`);
  }
}

/** undefined for lines that tell of no failure. */
function failureIn(line: string): string | undefined {
  if (line.trim() === '') return undefined;
  let read: LogLine;
  try {
    read = JSON.parse(line) as LogLine;
  } catch {
    return line.slice(0, MOST_WIDTH);
  }
  const { level, message, error } = read;
  const isFailure = level === 'error' || (level === 'warn' && error !== undefined) || message === LEAD_LOST;
  if (!isFailure) return undefined;
  const words = [message, error?.message].filter((word) => typeof word === 'string');
  return words.join(': ').slice(0, MOST_WIDTH);
}
