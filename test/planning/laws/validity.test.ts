/** Whatever the cluster, the plan for it is right: judged by the plan checker, which shares no code with planning. */
import fc from 'fast-check';
import { podKey } from '../../../src/domain/pods/pod.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { arbitraryCluster, POD_FEATURES } from './arbitrary-cluster.js';
import { fewerRuns, planOf, RUNS } from './plan-of.js';

describe('plan', () => {
  test('breaks no rule of Kubernetes or Karpenter, whatever constraints pods and pools have', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        expect(formatViolations(checkPlan(input, planOf(input)))).toBe('');
      }),
      RUNS,
    );
  });

  test.each(POD_FEATURES.map((feature) => ({ feature })))(
    'breaks no rule when $feature is all that pods ask for',
    ({ feature }) => {
      fc.assert(
        fc.property(arbitraryCluster([feature]), (input) => {
          expect(formatViolations(checkPlan(input, planOf(input)))).toBe('');
        }),
        fewerRuns(3),
      );
    },
  );

  test('answers every pending pod once and no other', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const { placements, unschedulable } = planOf(input);
        const answered = [...placements, ...unschedulable].map(({ pod }) => pod).sort();
        const pending = input.pods.filter(({ nodeName }) => nodeName === undefined).map(podKey);
        expect(answered).toEqual([...pending].sort());
      }),
      RUNS,
    );
  });
});
