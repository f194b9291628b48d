/** Moves of improvement without which random problems keep a dear plan, or leave pods out, however long it goes on. */
import type { Plan } from '../../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { catalogue } from '../../fuzz/catalog.js';
import { randomDocuments } from '../../fuzz/random-documents.js';
import { readProblem } from '../../fuzz/read-problem.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';

const types = catalogue();

function problem(seed: number): ClusterInput {
  return readProblem(randomDocuments(seed), types);
}

function planned(input: ClusterInput): Plan {
  return plan(buildSnapshot(input), { ...DEFAULT_PLAN_OPTIONS, preferencePolicy: 'Ignore' });
}

/** Errors of a plan, with spread over all domains that could be launched into. */
function errorsOf(input: ClusterInput, made: Plan): readonly string[] {
  return checkPlan(input, made, { spread: { domains: 'launchable' } })
    .filter(({ level, kind }) => level === 'error' && kind !== 'left-out')
    .map(({ message }) => message);
}

describe('improvement', () => {
  test('puts pods on a node that is paid for rather than keep the spread of others even everywhere', () => {
    const input = problem(9467);
    const made = planned(input);
    expect([made.unschedulable, errorsOf(input, made)]).toEqual([[], []]);
    expect(made.cost.hourly).toBeCloseTo(0.0063 + 0.0076, 9);
  });

  test('lets the first of a kind be bound after a pod with spread that counts it, on the host of that pod', () => {
    const input = problem(7686);
    const made = planned(input);
    expect([made.unschedulable, errorsOf(input, made)]).toEqual([[], []]);
    expect(made.cost.hourly).toBeCloseTo(0.096 + 0.021 + 2 * 0.085, 9);
  });

  test('opens a claim as a larger type where limits and minValues together forbid the cheapest', () => {
    const input = problem(7630);
    const made = planned(input);
    expect([made.unschedulable, errorsOf(input, made)]).toEqual([[], []]);
  });

  test.each([3283, 4962])(
    'prefers spread over all domains that could be launched into to a lower price, by what the proof finds (%i)',
    (seed) => {
      const input = problem(seed);
      expect(errorsOf(input, planned(input))).toEqual([]);
    },
  );

  test('leaves a plan that no single change makes cheaper, by way of a more expensive one', () => {
    const input = problem(6426);
    const made = planned(input);
    expect(errorsOf(input, made)).toEqual([]);
    expect(made.cost.hourly).toBeCloseTo(2 * 0.021 + 0.0063, 9);
  });

  test('does not stop at a plan of few pods that more work makes cheaper', () => {
    const input = problem(9006);
    const made = planned(input);
    expect([made.unschedulable, errorsOf(input, made)]).toEqual([[], []]);
    expect(made.cost.hourly).toBeCloseTo(0.0416, 9);
  });
});

describe('a gang', () => {
  test('comes before another pod of its priority where fewer pods are left out then', () => {
    const made = planned(problem(6054));
    expect(made.unschedulable.map(({ pod }) => pod)).toEqual(['default/d0-0']);
  });
});
