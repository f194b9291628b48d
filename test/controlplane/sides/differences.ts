/** Where the simulated world and the real control plane differ in a scenario, and why each difference is as it must be. */
import type { Sight } from './sight.js';

export interface Difference {
  readonly field: keyof Sight;
  readonly simulated: unknown;
  readonly real: unknown;
  /** '': nobody knows why. */
  readonly explanation: string;
}

/** Looked at in order; the first that holds explains. */
interface Reason {
  readonly field: keyof Sight;
  readonly holds: (simulated: Sight, real: Sight) => boolean;
  readonly explanation: string;
}

const FIELDS = [
  'machines',
  'hourly',
  'sold',
  'secondsToBound',
  'seconds',
  'decisions',
  'events',
] as const satisfies readonly (keyof Sight)[];

const REASONS: readonly Reason[] = [];

export function differencesOf(simulated: Sight, real: Sight): readonly Difference[] {
  return FIELDS.filter((field) => JSON.stringify(simulated[field]) !== JSON.stringify(real[field])).map(
    (field) => ({
      ...{ field, simulated: simulated[field], real: real[field] },
      explanation:
        REASONS.find((reason) => reason.field === field && reason.holds(simulated, real))?.explanation ?? '',
    }),
  );
}
