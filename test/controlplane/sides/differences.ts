/** Where the simulated world and the real control plane differ in a scenario, and why each difference is as it must be. */
import { reasonFor } from './reasons.js';
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

const LISTS = ['machines', 'decisions', 'events'] as const satisfies readonly (keyof Sight)[];
const FIGURES = ['hourly', 'sold', 'secondsToBound', 'seconds'] as const satisfies readonly (keyof Sight)[];
const NOTHING = '';

export function differencesOf(scenario: string, simulated: Sight, real: Sight): readonly Difference[] {
  const figures = FIGURES.filter((what) => simulated[what] !== real[what]).map((what) => ({
    ...{ scenario, what, simulated: simulated[what], real: real[what] },
    explanation: reasonFor({ what, simulated: String(simulated[what]), real: String(real[what]) }),
  }));
  const lines = LISTS.flatMap((what) => [
    ...surplus(simulated[what], real[what]).map((line) => ({ what, simulated: line, real: NOTHING })),
    ...surplus(real[what], simulated[what]).map((line) => ({ what, simulated: NOTHING, real: line })),
  ]).map((line) => ({ scenario, ...line, explanation: reasonFor(line) }));
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
