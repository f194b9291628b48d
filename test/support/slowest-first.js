// The order in which jest runs test files: those that take minutes first, so that none of them is left to run alone at the end.
// Jest begins with the largest files where it has no times of an earlier run, and in CI it never has.
import Sequencer from '@jest/test-sequencer';

// They try properties of plans on many clusters, or play hours of a simulated one.
const SLOWEST = /test\/(planning\/laws|simulated|support\/plan-checker\/duals)\//;

export default class SlowestFirst extends Sequencer {
  /** @param {Parameters<Sequencer['sort']>[0]} tests */
  sort(tests) {
    const sorted = super.sort(tests);
    const isSlow = (/** @type {{ path: string }} */ { path }) => SLOWEST.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
