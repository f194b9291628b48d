/**
 * The order of binding without which a plan would not hold: which pods wait until others are bound. The extender keeps it.
 */

/** Pods that one pod may wait for: more would make reservations too long. */
export const MOST_AWAITED = 50;

/** Pods that wait until others are bound, all `namespace/name`. */
interface Wait {
  readonly pods: readonly string[];
  readonly others: readonly string[];
  /** The rule that needs it. */
  readonly cause: object;
}

export class BindOrder {
  /** Pod → the pods that must be bound before it, all `namespace/name`. */
  readonly #after = new Map<string, readonly string[]>();
  readonly #waits: Wait[] = [];

  get after(): ReadonlyMap<string, readonly string[]> {
    return this.#after;
  }

  /** All that was added. */
  get waits(): readonly Wait[] {
    return this.#waits;
  }

  /** Has the pods wait for the others; false, and nothing is changed, where that would be a circle or too much. */
  add({ pods, others, cause }: Wait): boolean {
    if (pods.length === 0 || others.length === 0) return true;
    const before = this.#allBefore(others);
    if (pods.some((pod) => before.has(pod))) return false;
    const awaited = pods.map((pod) => [...new Set([...(this.#after.get(pod) ?? []), ...others])]);
    if (awaited.some(({ length }) => length > MOST_AWAITED)) return false;
    for (const [at, pod] of pods.entries()) this.#after.set(pod, awaited[at] ?? []);
    this.#waits.push({ pods, others, cause });
    return true;
  }

  /** The pods themselves and all that they wait for, directly or through others. */
  #allBefore(pods: readonly string[]): ReadonlySet<string> {
    const seen = new Set<string>();
    const next = [...pods];
    for (let pod = next.pop(); pod !== undefined; pod = next.pop()) {
      if (seen.has(pod)) continue;
      seen.add(pod);
      next.push(...(this.#after.get(pod) ?? []));
    }
    return seen;
  }
}
