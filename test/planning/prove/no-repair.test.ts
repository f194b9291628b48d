/** Plans hold as they are first made: the proof has nothing to repair where rules of several kinds meet. */
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { catalogue } from '../../fuzz/catalog.js';
import { randomDocuments } from '../../fuzz/random-documents.js';
import { readProblem } from '../../fuzz/read-problem.js';

/** Problems of the fuzz in which the first plan did not hold once. */
const PROBLEMS = [
  {
    seed: 3735,
    about: 'pods that need each other on a host and are spread over hosts, before others open hosts',
  },
  { seed: 4951, about: 'such pods, of which some come to a node that there is' },
];

describe('the first plan', () => {
  test.each(PROBLEMS)('holds with $about', ({ seed }) => {
    const input = readProblem(randomDocuments(seed), catalogue());
    const { repairs } = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS, { improvement: 0 });
    expect(repairs).toBeUndefined();
  });
});
