/** Gangs in random clusters: all or nothing, and those that are out might as well not be there. */
import fc from 'fast-check';
import { gangsOf } from '../../../src/domain/pods/gang.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { Plan } from '../../../src/planning/plan.js';
import { planGangs } from '../../../src/planning/engine/gangs.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { gangViolations, withoutBroken } from '../engine/check-gangs.js';
import { arbitraryCluster } from './arbitrary-cluster.js';
import { asText, fewerRuns, IMPROVEMENT, planOf } from './plan-of.js';

const RUNS = fewerRuns(5);

/** Some pods of a cluster, pending and bound, in gangs whose minimum may be more than there are. */
const arbitraryGangs: fc.Arbitrary<ClusterInput> = fc
  .tuple(
    arbitraryCluster(),
    fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 26, maxLength: 26 }),
    fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 4, maxLength: 4 }),
  )
  .map(([input, gangOfPod, minimums]) => {
    const pods = input.pods.map((each, index) => {
      const gang = gangOfPod[index] ?? -1;
      if (gang < 0) return each;
      return { ...each, gang: { key: `PodGroup default/g${String(gang)}`, minMembers: minimums[gang] } };
    });
    return { ...input, pods, gangs: gangsOf(pods, new Map()) };
  });

function planned(input: ClusterInput): Plan {
  return planGangs(buildSnapshot(input), (snapshot) =>
    plan(snapshot, DEFAULT_PLAN_OPTIONS, { improvement: IMPROVEMENT }),
  );
}

describe('a plan with gangs', () => {
  test('places none of a gang or as many as it needs, and breaks no other rule', () => {
    fc.assert(
      fc.property(arbitraryGangs, (input) => {
        expect(gangViolations(input, planned(input))).toBe('');
      }),
      RUNS,
    );
  });

  test('is the plan of a cluster without the pods of the gangs that are out', () => {
    fc.assert(
      fc.property(arbitraryGangs, (input) => {
        const rest = withoutBroken(input, planned(input));
        expect(asText(rest.plan)).toBe(asText(planned(rest.input)));
      }),
      RUNS,
    );
  });

  test('answers every pending pod once, and those of a gang that is out with the gang', () => {
    fc.assert(
      fc.property(arbitraryGangs, (input) => {
        const answer = planned(input);
        const answered = [...answer.placements, ...answer.unschedulable].map(({ pod }) => pod).sort();
        const pending = input.pods.filter(({ nodeName }) => nodeName === undefined);
        expect(answered).toEqual(pending.map(podKey).sort());
        const { out } = withoutBroken(input, answer);
        for (const pod of pending.filter(({ gang }) => out.has(gang?.key ?? ''))) {
          const [first] = answer.unschedulable.find((item) => item.pod === podKey(pod))?.reasons ?? [];
          expect(first?.reason).toMatchObject({
            code: expect.stringMatching(/^Gang/) as unknown,
            gang: pod.gang?.key,
          });
        }
      }),
      RUNS,
    );
  });

  test('is the same however the pods are ordered', () => {
    fc.assert(
      fc.property(arbitraryGangs, fc.infiniteStream(fc.nat()), (input, chance) => {
        const shuffled = [...input.pods]
          .map((pod) => ({ pod, place: chance.next().value as number }))
          .sort((left, right) => left.place - right.place)
          .map(({ pod }) => pod);
        const other = { ...input, pods: shuffled, gangs: [...(input.gangs ?? [])].reverse() };
        expect(asText(planned(other))).toBe(asText(planned(input)));
      }),
      RUNS,
    );
  });

  test('is the plan as ever when no pod is in a gang', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        expect(asText(planned(input))).toBe(asText(planOf(input)));
      }),
      RUNS,
    );
  });
});
