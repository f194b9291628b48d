/** Where the simulated world and the real control plane differ in a scenario, and why each difference is as it must be. */
import { differInZoneOnly, reasonFor } from './reasons.js';
import type { Sight } from './sight.js';

export interface Difference {
  readonly scenario: string;
  readonly what: keyof Sight;
  /** The value, or what only this side showed. */
  readonly simulated: unknown;
  readonly real: unknown;
  /** '': nobody knows why. */
  readonly explanation: string;
}

const LISTS = ['instances', 'decisions', 'events'] as const satisfies readonly (keyof Sight)[];
const FIGURES = ['hourly', 'sold', 'secondsToBound', 'seconds'] as const satisfies readonly (keyof Sight)[];
const NOTHING = '';

export function differencesOf(scenario: string, simulated: Sight, real: Sight): readonly Difference[] {
  const figures = FIGURES.filter((what) => simulated[what] !== real[what]).map((what) => ({
    ...{ scenario, what, simulated: simulated[what], real: real[what] },
    explanation: reasonFor({ what, simulated: String(simulated[what]), real: String(real[what]) }),
  }));
  const lines = LISTS.flatMap((what) =>
    inPairs(surplus(simulated[what], real[what]), surplus(real[what], simulated[what])).map((pair) => ({
      what,
      ...pair,
    })),
  ).map((line) => ({ scenario, ...line, explanation: reasonFor(line) }));
  return [...figures, ...lines];
}

/** What the one list has more of than the other. */
function surplus(these: readonly string[], those: readonly string[]): readonly string[] {
  const left = [...those];
  return these.filter((line) => {
    const index = left.indexOf(line);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

interface Pair {
  readonly simulated: string;
  readonly real: string;
}

/** Instances that differ in nothing but their zone are one difference; what only one side showed is alone. */
function inPairs(simulated: readonly string[], real: readonly string[]): readonly Pair[] {
  const left = [...real];
  const pairs = simulated.map((line): Pair => {
    const index = left.findIndex((other) => differInZoneOnly(line, other));
    return { simulated: line, real: index < 0 ? NOTHING : (left.splice(index, 1)[0] ?? NOTHING) };
  });
  return [...pairs, ...left.map((line) => ({ simulated: NOTHING, real: line }))];
}
