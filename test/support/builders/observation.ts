/** What `--mode observe` found, for tests: two hours beside Karpenter, in which Berth would have paid three quarters. */
import {
  NO_COUNTS,
  OBSERVATION_NAME,
  type Observation,
  type ObservationPeriod,
} from '../../../src/domain/records/observation.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** An hour that costs 8 USD instead of 6. */
export function observationPeriod(overrides: Partial<ObservationPeriod> = {}): ObservationPeriod {
  const costs = { seconds: 3600, currentUsd: 8, berthUsd: 6 };
  return { from: START, to: START + HOUR, ...costs, ...NO_COUNTS, ...overrides };
}

export function observation(overrides: Partial<Observation> = {}): Observation {
  return {
    ...{ name: OBSERVATION_NAME, uid: 'uid-observation', resourceVersion: '1' },
    system: 'karpenter',
    since: START,
    updatedAt: START + 2 * HOUR,
    total: { seconds: 7200, currentUsd: 16, berthUsd: 12, ...NO_COUNTS },
    now: {
      ...{ currentHourly: 8, berthHourly: 5, currentNodes: 20, berthNodes: 14 },
      ...{ unpricedNodes: 0, unplacedPods: 0 },
    },
    periods: [observationPeriod(), observationPeriod({ from: START + HOUR, to: START + 2 * HOUR })],
    types: [{ instanceType: 'm5.large', capacityType: 'on-demand', current: 20, berth: 14 }],
    actions: [],
    ...overrides,
  };
}
