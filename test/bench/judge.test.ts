/** The benchmark's judge: it believes placements, not what a plan says of itself. */
import { judgePlan } from '../../bench/judge/judge-plan.js';
import type { Plan } from '../../src/planning/plan.js';
import { clusterInput } from '../support/builders/cluster-input.js';
import { instanceType, offering, ZONE_A, ZONE_B } from '../support/builders/instance-type.js';
import { poolOffer } from '../support/builders/node-pool.js';
import { replicas } from '../support/builders/pod.js';
import { planAndCheck } from '../support/plan-and-check.js';

const offerings = [
  offering({ zone: ZONE_A, capacityType: 'on-demand', price: 1 }),
  offering({ zone: ZONE_A, capacityType: 'spot', price: 0.3 }),
  offering({ zone: ZONE_B, capacityType: 'spot', price: 0.4 }),
];
const sizes = Array.from({ length: 16 }, (_, index) => `m${String(index + 1)}.xlarge`);

function inputWith(types: number) {
  const pods = replicas(6, { name: 'a', requests: { cpu: '1', memory: '1Gi' } });
  const offered = sizes
    .slice(0, types)
    .map((name) => instanceType({ name, vcpu: 4, memoryMiB: 16384, offerings }));
  return clusterInput({ pods, pools: [poolOffer({}, offered)] });
}

test('a plan is worth its claims at their cheapest listed offerings, and at worst at their most expensive', () => {
  const input = inputWith(2);
  const made = planAndCheck(input);
  const verdict = judgePlan(input, made);
  expect(verdict).toMatchObject({ valid: true, complaints: '', unplaced: 0, claims: 2 });
  expect(verdict.hourly).toBeCloseTo(0.6, 9);
  const highest = made.claims.every(({ capacityTypes }) => capacityTypes.includes('on-demand')) ? 2 : 0.8;
  expect(verdict.highest).toBeCloseTo(highest, 9);
});

test.each([
  [3, 0],
  [16, 2],
])('of spot claims over %d types, %d list enough of them', (types, diverse) => {
  const input = inputWith(types);
  const verdict = judgePlan(input, planAndCheck(input));
  expect([verdict.spotClaims, verdict.diverseSpotClaims]).toEqual([2, diverse]);
});

describe('a plan is refused', () => {
  const input = inputWith(2);
  const made = planAndCheck(input);
  const [first, ...others] = made.claims;
  const wrong: readonly (readonly [string, Partial<Plan>, string])[] = [
    ['that forgets a pod', { placements: made.placements.slice(1) }, 'pod-count'],
    ['that says it costs less', { cost: { ...made.cost, hourly: 0.1 } }, 'cost'],
    [
      'whose claim lists a type that is not offered',
      { claims: first === undefined ? [] : [{ ...first, instanceTypes: ['m9.odd'] }, ...others] },
      'offer',
    ],
    [
      'that puts all pods on one instance',
      {
        placements: made.placements.map(({ pod }) => ({
          pod,
          target: { kind: 'NodeClaim', name: first?.name ?? '' },
        })),
      },
      'resources',
    ],
  ];

  test.each(wrong)('%s', (_what, change, kind) => {
    const verdict = judgePlan(input, { ...made, ...change });
    expect(verdict.valid).toBe(false);
    expect(verdict.complaints).toContain(kind);
  });

  test('that leaves pods out', () => {
    const none: Plan = {
      ...made,
      placements: [],
      claims: [],
      unschedulable: input.pods.map(({ name }) => ({
        pod: `default/${name}`,
        reasons: [{ nodePool: '', reason: { code: 'NoPools' } as never }],
      })),
      cost: { hourly: 0, lowerBound: null, existingHourly: 0 },
    };
    expect(judgePlan(input, none)).toMatchObject({ valid: false, unplaced: 6 });
  });
});
