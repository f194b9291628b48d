/** Part of a packing is put back as it came about, so that what holds in one order only is not lost. */
import { HOSTNAME } from '../../../src/domain/values/labels.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { SeededRandom } from '../../../src/planning/pack/seeded-random.js';
import { CompileCache } from '../../../src/planning/engine/compile-cache.js';
import { rebuild } from '../../../src/planning/improve/rebuild.js';
import { Packing } from '../../../src/planning/rules/packing.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { podTerm } from '../../support/builders/constraints.js';
import { node } from '../../support/builders/node.js';
import { pod, replicas } from '../../support/builders/pod.js';

describe('rebuild', () => {
  const labels = { app: 'web' };
  const input = clusterInput({
    pods: [
      pod({ name: 'first', labels, podAffinity: { required: [podTerm(HOSTNAME, labels)] } }),
      ...replicas(3, { name: 'other', labels }),
    ],
    nodes: [node({ name: 'a' }), node({ name: 'b' })],
  });
  const problem = compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS, new CompileCache());

  /** The first of its kind on the last node, then the others on the first one, of which the last is taken back again. */
  function packed(): Packing {
    const packing = new Packing(problem);
    const put = (index: number, target: number, n: number): void => {
      const [pods, place] = [problem.classes[index], packing.targets[target]];
      const ask = pods?.asks.at(-2);
      if (pods === undefined || place === undefined || ask === undefined)
        throw new RangeError('no such place');
      packing.put(pods, ask, place, n);
    };
    const first = problem.classes.findIndex(({ pods }) => pods.length === 1);
    put(first, 1, 1);
    put(1 - first, 0, 2);
    put(1 - first, 0, 1);
    const [others, place] = [problem.classes[1 - first], packing.targets[0]];
    if (others !== undefined && place !== undefined) packing.takeBack(others, place, 1);
    return packing;
  }

  test('puts pods back in the order in which they came, wherever they are', () => {
    const staying = packed().targets.map((from) => {
      return { node: from.target, column: -1, from, content: from.content };
    });
    const rebuilt = rebuild(problem, staying, new SeededRandom());
    expect(rebuilt.targets.map(({ content }) => [...content.values()])).toEqual([[2], [1]]);
    expect(rebuilt.targets.map(({ arrivals }) => arrivals.map(({ at }) => at))).toEqual([[1, 2], [0]]);
  });
});
