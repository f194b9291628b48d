import { styleOf } from '../../../src/app/cli/render/text/style.js';
import { finding } from '../../../world/demo/stages/stage.js';
import {
  missedFindings,
  paceLine,
  summaryLines,
  type StageResult,
} from '../../../world/demo/account/summary.js';

const RESULTS: readonly StageResult[] = [
  { name: 'place', millis: 95_000, findings: [finding('pods bound', 3, 3), finding('instances', 2, 1)] },
];

describe('the summary of a demo', () => {
  test('puts what was expected beside what was seen', () => {
    expect(summaryLines(RESULTS, styleOf(false))).toEqual([
      'STAGE  TOOK   WHAT        EXPECTED  SEEN',
      'place  01:35  pods bound  3         3     ok',
      '              instances   2         1     MISSED',
      '',
      '1 of 2 expectations missed',
    ]);
  });

  test('finds what was missed', () => {
    expect(missedFindings(RESULTS).map(({ what }) => what)).toEqual(['instances']);
  });

  test('says how fast time was, and what it waited for most', () => {
    const waitedMillis = new Map([
      ['the world itself', 4000],
      ['the planner', 31_400],
      ['Berth', 300],
    ]);
    expect(paceLine({ wallMillis: 100_000, virtualMillis: 410_000, waitedMillis }, 14)).toBe(
      'simulated time ran 4.1 times faster than real time on average, 14 at most; it waited 31 s for the planner, 4 s for the world itself',
    );
  });
});
