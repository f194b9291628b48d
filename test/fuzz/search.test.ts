/** The search that plans are judged by is as good as trying everything, where everything can be tried. */
import { catalogue } from './catalog.js';
import { findBetter } from './enumerate.js';
import { buildModel } from './model.js';
import { randomDocuments } from './random-documents.js';
import { readProblem } from './read-problem.js';
import { search } from './search.js';

const FEW_PODS = 6;
const PROBLEMS = 60;
/** Solutions looked at before a problem is passed over: some have millions, most a few hundred. */
const MOST_SOLUTIONS = 6_000;

describe('search', () => {
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
