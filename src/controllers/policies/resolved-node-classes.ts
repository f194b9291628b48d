/** What node classes amount to in the account: asked of the cloud, and remembered for a while. */
import type { Clock } from '../../ports/clock.js';
import type { Cloud, NodeClassSource, ResolvedNodeClass } from '../../ports/cloud.js';
import { withDeadline } from '../../runtime/time/deadline.js';

/** As often as Karpenter looks for new subnets and images. */
const FRESH_MILLIS = 60_000;
const ANSWER_MILLIS = 15_000;

export interface ResolvedNodeClassesOptions {
  readonly cloud: Pick<Cloud, 'resolveNodeClass'>;
  readonly clock: Clock;
}

interface Remembered {
  readonly document: string;
  readonly answer: ResolvedNodeClass;
  readonly at: number;
}

export class ResolvedNodeClasses {
  readonly #options: ResolvedNodeClassesOptions;
  /** By the class's name: one answer each, that of the newest document. */
  readonly #answers = new Map<string, Remembered>();

  constructor(options: ResolvedNodeClassesOptions) {
    this.#options = options;
  }

  /**
   * What the class amounts to. An answer is good for a minute, and where the cloud then gives none, longer.
   * @throws PortError, when the cloud fails and never answered for this document.
   */
  async resolve(source: NodeClassSource, signal: AbortSignal): Promise<ResolvedNodeClass> {
    const { cloud, clock } = this.#options;
    const { name } = source.nodeClass;
    const document = JSON.stringify(source.document);
    const found = this.#answers.get(name);
    const known = found?.document === document ? found : undefined;
    if (known !== undefined && clock.monotonic() - known.at < FRESH_MILLIS) return known.answer;
    try {
      const operation = `resolve node class ${name}`;
      const answer = await withDeadline({ clock, millis: ANSWER_MILLIS, signal, operation }, (own) =>
        cloud.resolveNodeClass(source, own),
      );
      this.#answers.set(name, { document, answer, at: clock.monotonic() });
      return answer;
    } catch (error) {
      if (known === undefined || signal.aborted) throw error;
      return known.answer;
    }
  }
}
