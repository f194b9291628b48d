/** What node classes amount to in the account: asked of the cloud, and remembered for a while. */
import { isDeepStrictEqual } from 'node:util';
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { Clock } from '../../ports/clock.js';
import type { Cloud, ResolvedNodeClass } from '../../ports/cloud.js';
import { withDeadline } from '../../runtime/time/deadline.js';

/** As often as Karpenter looks for new subnets and images. */
const FRESH_MILLIS = 60_000;
const ANSWER_MILLIS = 15_000;

export interface ResolvedNodeClassesOptions {
  readonly cloud: Pick<Cloud, 'resolveNodeClass'>;
  readonly clock: Clock;
}

interface Remembered {
  readonly content: string;
  readonly answer: ResolvedNodeClass;
  readonly at: number;
}

export class ResolvedNodeClasses {
  readonly #options: ResolvedNodeClassesOptions;
  /** By the class's name: one answer each, that of its newest content. */
  readonly #answers = new Map<string, Remembered>();
  readonly #listeners = new Set<(name: string) => void>();

  constructor(options: ResolvedNodeClassesOptions) {
    this.#options = options;
  }

  /** Called with the name of a class that amounts to something else than before, until the answer is called. */
  onChange(listener: (name: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * What the class amounts to. An answer is good for a minute, and where the cloud then gives none, longer.
   * @throws PortError, when the cloud fails and never answered for this class.
   */
  async resolve(nodeClass: NodeClass, signal: AbortSignal): Promise<ResolvedNodeClass> {
    const { cloud, clock } = this.#options;
    const { name } = nodeClass;
    const content = JSON.stringify(nodeClass);
    const found = this.#answers.get(name);
    const known = found?.content === content ? found : undefined;
    if (known !== undefined && clock.monotonic() - known.at < FRESH_MILLIS) return known.answer;
    try {
      const operation = `resolve node class ${name}`;
      const answer = await withDeadline({ clock, millis: ANSWER_MILLIS, signal, operation }, (own) =>
        cloud.resolveNodeClass(nodeClass, own),
      );
      this.#answers.set(name, { content, answer, at: clock.monotonic() });
      if (found !== undefined && !isDeepStrictEqual(found.answer, answer))
        for (const listener of this.#listeners) listener(name);
      return answer;
    } catch (error) {
      if (known === undefined || signal.aborted) throw error;
      return known.answer;
    }
  }
}
