/** Explaining is bounded: equal questions are tried once, and past a budget of work reasons go untried and say so. */
import { describePoolReason } from '../../../src/planning/describe-reason.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { Explainer } from '../../../src/planning/explain/explain.js';
import { pack } from '../../../src/planning/pack/pack.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { ZONE } from '../../../src/domain/values/labels.js';
import { oneOf } from '../../support/builders/constraints.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';

/** Pods of which each wants a team that there is not, in a zone that the pools leave out. */
function explained(teams: number, budget?: number) {
  const pods = Array.from({ length: teams }, (_, index) =>
    pod({ name: `pod-${String(index)}`, nodeSelector: { team: `t${String(index)}` } }),
  );
  const pools = ['a', 'b', 'c'].map((name) =>
    poolOffer({ name, requirements: [oneOf(ZONE, 'us-east-1a')], limits: { cpu: '0' } }),
  );
  const packing = pack(compileProblem(buildSnapshot(clusterInput({ pods, pools })), DEFAULT_PLAN_OPTIONS));
  const explainer = new Explainer(packing, budget);
  const reasons = packing.problem.classes.flatMap((each) => explainer.reasons(each));
  return { work: explainer.work, reasons };
}

describe('Explainer', () => {
  test('tries a change once for all pods that would ask the same after it', () => {
    const few = explained(5);
    const many = explained(50);
    expect(few.reasons.every(({ also }) => also?.[0]?.code === 'LimitReached')).toBe(true);
    expect(many.reasons).toHaveLength(150);
    expect(many.work).toBe(few.work);
  });

  test('stops trying past its budget, and says so', () => {
    const { reasons, work } = explained(5, 1);
    expect(work).toBeLessThan(explained(5).work);
    const untried = reasons.filter((each) => each.untried === true);
    expect(untried.length).toBeGreaterThan(0);
    for (const each of untried)
      expect(describePoolReason(each)).toMatch(/label team.*it was not checked whether that is enough$/);
  });
});
