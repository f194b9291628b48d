/** Plans for tests of how plans are shown. */
import type { Plan, PlannedClaim } from '../../../../src/planning/plan.js';
import { resourceList } from '../../../support/builders/resources.js';

const GIBI = 2 ** 30;

/** A claim for two pods on m7g.large; name and anything else can be overridden. */
export function claim(overrides: Partial<PlannedClaim> = {}): PlannedClaim {
  return {
    name: 'general-1',
    nodePool: 'general',
    instanceTypes: ['m7g.large', 'm6g.large'],
    zones: ['eu-west-3a', 'eu-west-3b'],
    capacityTypes: ['on-demand'],
    chosenLabels: new Map(),
    pods: ['default/web-0', 'default/web-1'],
    requests: resourceList({ cpu: 965, memory: 4 * GIBI, pods: 4 }),
    allocatable: resourceList({ cpu: 1930, memory: 6 * GIBI, pods: 29 }),
    hourlyPrice: 0.0952,
    hourlyPriceMax: 0.12,
    estimated: false,
    ...overrides,
  };
}

/** A plan with that claim and nothing else. */
export function plan(overrides: Partial<Plan> = {}): Plan {
  const claims = overrides.claims ?? [claim()];
  return {
    placements: claims.flatMap(({ name, pods }) =>
      pods.map((pod) => ({ pod, target: { kind: 'NodeClaim' as const, name } })),
    ),
    claims,
    unschedulable: [],
    cost: {
      hourly: claims.reduce((sum, each) => sum + each.hourlyPrice, 0),
      lowerBound: null,
      existingHourly: 0,
    },
    ...overrides,
  };
}
