/** Says what could not be read in objects of the cluster: each time counted, once logged. */
import { formatPath } from '../../../apis/decode/format-path.js';
import type { ObjectFinding } from '../../../apis/kubernetes/object/finding.js';
import type { Logger } from '../../../ports/logger.js';

export interface FindingLogOptions {
  /** Kind of the objects. */
  readonly kind: string;
  readonly logger: Logger;
  /** Errors in one state of one object. */
  count(errors: number): void;
}

/** Objects whose findings are remembered; the oldest is forgotten first, and would be logged again. */
const REMEMBERED = 1_000;

export class FindingLog {
  readonly #options: FindingLogOptions;
  /** Key of the object → what was logged about it. */
  readonly #logged = new Map<string, string>();

  constructor(options: FindingLogOptions) {
    this.#options = options;
  }

  /**
   * Reports the errors; warnings are for the authors of manifests. A change of the object is logged only when it changes
   * what is wrong with it.
   */
  report(key: string, findings: readonly ObjectFinding[]): void {
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) this.#options.count(errors.length);
    const text = errors.map(({ path, text: words }) => `${formatPath(path)} ${words}`.trimStart()).join('; ');
    if (text === (this.#logged.get(key) ?? '')) return;
    this.#logged.delete(key);
    if (text === '') return;
    this.#logged.set(key, text);
    const [oldest] = this.#logged.keys();
    if (this.#logged.size > REMEMBERED && oldest !== undefined) this.#logged.delete(oldest);
    const { kind, logger } = this.#options;
    logger.warn('Failed to decode some fields of an object', { kind, object: key, findings: text });
  }
}
