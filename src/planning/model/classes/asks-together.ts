/** Which asks of a class are tried together: whether claims are opened for what pods prefer. */
import type { Ask } from './ask.js';
import type { PodClass } from './pod-class.js';

/** The last asks of every class are without preferences, and have less and less regard for the spread of others. */
export const PLAIN_LEVELS = 3;

export function hasPreferences({ asks }: PodClass): boolean {
  return asks.length > PLAIN_LEVELS;
}

/**
 * The asks in the order in which they are tried: each list on all that is open, before a claim is opened for any of it.
 * Where pods take what is open first, they give up preferences rather than have a node launched for them.
 */
export function asksTogether({ asks }: PodClass, takesOpenFirst: boolean): readonly (readonly Ask[])[] {
  const plain = Math.max(0, asks.length - PLAIN_LEVELS);
  if (!takesOpenFirst || plain === 0) return asks.map((ask) => [ask]);
  return [asks.slice(0, plain + 1), ...asks.slice(plain + 1).map((ask) => [ask])];
}

/** The ask under which a class is expected to fill a node that others were opened for. */
export function fillingAsk({ asks }: PodClass, takesOpenFirst: boolean): Ask | undefined {
  return takesOpenFirst ? (asks.at(-PLAIN_LEVELS) ?? asks[0]) : asks[0];
}
