/** Doing something for many things, a few at a time. */

/** How many at once, where the caller does not say. */
const AT_ONCE = 10;

export interface ParallelLimits {
  readonly atOnce?: number;
  /** After it is aborted no further item is begun. */
  readonly signal?: AbortSignal;
}

/** Does it for every item, and for all of them even when some fail. Answers what the failed ones threw. */
export async function tryInParallel<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  { atOnce = AT_ONCE, signal }: ParallelLimits = {},
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const waiting = items.values();
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      if (signal?.aborted === true) return;
      try {
        await act(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return failures;
}

/** The same. @throws the first failure, when all is done. */
export async function inParallel<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  limits: ParallelLimits = {},
): Promise<void> {
  const failures = await tryInParallel(items, act, limits);
  if (failures.length > 0) throw failures[0];
}
