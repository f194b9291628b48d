/** The search that plans are judged by is as good as trying everything, where everything can be tried. */
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import { catalogue } from './catalog.js';
import { findBetter } from './enumerate.js';
import { buildModel } from './model.js';
import { randomDocuments } from './random-documents.js';
import { readProblem } from './read-problem.js';
import { search } from './search.js';
import type { Json } from './random-workload.js';

const FEW_PODS = 6;
const PROBLEMS = 60;
/** Solutions looked at before a problem is passed over: some have millions, most a few hundred. */
const MOST_SOLUTIONS = 6_000;

/** Pods that each need a node of four vCPUs, and a pool whose claims must list two families of such nodes. */
function twoFamilies(pods: number, memory: string): readonly Json[] {
  const group = 'karpenter.k8s.aws';
  const key = `${group}/instance-family`;
  const requirements = [
    { key, operator: 'In', values: ['c6i', 'm6i'], minValues: 2 },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
  ];
  const nodeClassRef = { group, kind: 'EC2NodeClass', name: 'default' };
  const containers = [{ name: 'c', image: 'x', resources: { requests: { cpu: '3', memory: '1Gi' } } }];
  const nodeClass = randomDocuments(1).filter(({ kind }) => kind === 'EC2NodeClass');
  return [
    ...nodeClass,
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'pool' },
      spec: { limits: { memory }, template: { spec: { requirements, nodeClassRef } } },
    },
    ...Array.from({ length: pods }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${String(index)}`, namespace: 'default', uid: String(index) },
      spec: { containers },
    })),
  ];
}

describe('search', () => {
  // c6i.xlarge has 7.4 GiB, m6i.xlarge 14.8 GiB.
  test.each([
    ['10Gi', 1, 1],
    ['16Gi', 1, 0],
    ['24Gi', 2, 1],
    ['30Gi', 2, 0],
  ])(
    'counts only types that fit in limits of %s for minValues, and limits by the largest (%i pods, %i left out)',
    (memory, pods, leftOut) => {
      const input = readProblem(twoFamilies(pods, memory), catalogue());
      const model = buildModel(input);
      const { score } = search(model);
      expect(score.leftOut).toEqual([leftOut]);
      expect(score.price).toBeCloseTo(0.17 * (pods - leftOut));
      expect(findBetter(model, score).better).toBeUndefined();
      const { unschedulable } = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
      expect(unschedulable).toHaveLength(leftOut);
    },
  );

  test('finds nothing worse than the best of all solutions of problems with up to six pods', () => {
    const types = catalogue();
    const worse: string[] = [];
    let tried = 0;
    for (let seed = 1; tried < PROBLEMS && seed <= 2 * PROBLEMS; seed++) {
      const model = buildModel(readProblem(randomDocuments(seed, FEW_PODS), types));
      const { score } = search(model);
      const { better, isComplete } = findBetter(model, score, MOST_SOLUTIONS);
      if (isComplete) tried += 1;
      if (better !== undefined)
        worse.push(`seed ${String(seed)}: ${JSON.stringify(score)} instead of ${JSON.stringify(better)}`);
    }
    expect(worse).toEqual([]);
    expect(tried).toBe(PROBLEMS);
  }, 300_000);
});
