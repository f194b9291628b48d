/** Preferences cost no pod its place: of random problems those in which they once did, each in a way of its own. */
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../src/planning/plan-options.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import { catalogue } from './catalog.js';
import { randomDocuments } from './random-documents.js';
import { readProblem } from './read-problem.js';

describe('plan, with preferences', () => {
  test.each([
    [546, 'no node has what pods prefer, and limits bind'],
    [2185, 'pods that prefer to be apart take what limits leave'],
    [2178, 'a place is free only while others do without what they prefer'],
    [220, 'a pod must come to its node before those that would be company for it'],
  ])('leaves out no more pods than when they are ignored (seed %i: %s)', (seed) => {
    const input = readProblem(randomDocuments(seed), catalogue());
    const leftOut = (preferencePolicy: PlanOptions['preferencePolicy']): number =>
      plan(buildSnapshot(input), { ...DEFAULT_PLAN_OPTIONS, preferencePolicy }).unschedulable.length;
    expect(leftOut('Respect')).toBeLessThanOrEqual(leftOut('Ignore'));
  });
});
