/** What the benchmark prints and how it understands its command line. */
import { readOptions } from '../../bench/options.js';
import { growthExponent } from '../../bench/report/growth.js';
import { goalsTable, reachedGoals } from '../../bench/report/goals.js';
import { shortRow } from '../../bench/report/report-file.js';
import type { Row } from '../../bench/report/row.js';
import { shuffleTable, type ShuffleRow } from '../../bench/report/shuffle-row.js';
import { table } from '../../bench/report/table.js';
import { isSteady, median, repeat } from '../../bench/solvers/stopwatch.js';

function row(overrides: Partial<Row> = {}): Row {
  return {
    workload: 'mixed',
    solver: 'berth',
    pods: 1000,
    placed: 1000,
    seconds: 0.01,
    cpuSeconds: 0.02,
    coldSeconds: 0.1,
    hourly: 110,
    lowerBound: 100,
    rssMiB: 90,
    valid: true,
    claims: 7,
    ...overrides,
  };
}

/** The cells of a printed table by column, a record for each line. */
function cells(text: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const names = [...head.matchAll(/\S+(?: \S+)*/g)];
  const isLeft = (index: number): boolean => index < 2 || index === names.length - 1;
  return lines.map((line) =>
    Object.fromEntries(
      names.map((name, index) => {
        const end = name.index + name[0].length;
        const previous = names[index - 1];
        const from = isLeft(index)
          ? name.index
          : previous === undefined
            ? 0
            : previous.index + previous[0].length;
        const to = isLeft(index) ? (names[index + 1]?.index ?? line.length) : end;
        return [name[0], line.slice(from, index === 0 ? to : to).trim()];
      }),
    ),
  );
}

describe('the table', () => {
  const rows = [
    row(),
    row({ solver: 'karpenter-1', seconds: 1, cpuSeconds: 4, hourly: 150 }),
    row({
      solver: 'karpenter-5',
      seconds: 2,
      placed: 400,
      valid: false,
      remark: 'stopped at 2 s with 400 pods placed',
    }),
    row({ workload: 'alone', lowerBound: null }),
  ];

  test('says pods per second, the price by its bound, and how many times the better Karpenter that is', () => {
    const [berth, one, five, alone] = cells(table(rows));
    expect(berth).toMatchObject({
      workload: 'mixed',
      solver: 'berth',
      'pods/s': '100000',
      ratio: '1.1000',
      x: '100',
    });
    expect(one).toMatchObject({ 'pods/s': '1000', ratio: '1.5000', x: '' });
    expect(five).toMatchObject({ 'pods/s': '200', ratio: '', x: '' });
    expect(alone).toMatchObject({ bound: '', ratio: '', x: '' });
  });

  test('gives the reason why a row is not what it should be', () => {
    expect(table(rows)).toContain('no: stopped at 2 s with 400 pods placed\n');
  });

  test('of shuffles says the median and the worst', () => {
    const text = shuffleTable([
      {
        workload: 'mixed',
        shuffles: 3,
        medianRatio: 1.01,
        worstRatio: 1.02,
        ratios: [1, 1.01, 1.02],
        highestShare: 2,
        diverseSpotShare: 0.5,
        medianSeconds: 0.02,
        valid: true,
      },
    ]);
    expect(cells(text)[0]).toMatchObject({
      'median ratio': '1.0100',
      worst: '1.0200',
      'spot>=15': '50 %',
      ms: '20',
    });
  });
});

describe('what is wanted', () => {
  const shuffled: ShuffleRow = {
    workload: 'mixed-10k-spot',
    shuffles: 12,
    medianRatio: 1.014,
    worstRatio: 1.02,
    ratios: [1.014],
    highestShare: 2.5,
    diverseSpotShare: 1,
    medianSeconds: 0.02,
    valid: true,
  };
  const rival = row({ workload: 'mixed-10k-spot', solver: 'karpenter-1', seconds: 2 });

  test('of a workload stands beside what was reached: the median of shuffles, and the better of the rivals', () => {
    const rows = [row({ workload: 'mixed-10k-spot', hourly: 103 }), rival];
    expect(reachedGoals(rows, [shuffled])).toMatchObject([{ ratio: 1.014, faster: 200, short: [] }]);
    expect(goalsTable(rows, [shuffled])).toMatch(/mixed-10k-spot +- +1\.0140 +1\.015 +1\.0200 +200 +100/);
  });

  test.each<[string, Partial<Row>, readonly string[]]>([
    ['price', { workload: 'mixed-10k-spot', hourly: 103 }, ['price']],
    ['speed', { workload: 'mixed-10k-spot', hourly: 101, seconds: 0.03 }, ['speed']],
    ['rules', { workload: 'mixed-10k-spot', hourly: 101, valid: false }, ['rules']],
    ['seconds', { workload: 'shapes-50k-od', seconds: 0.3 }, ['seconds']],
    ['nothing, when nothing is wanted', { workload: 'half-full-5k', hourly: 900 }, []],
  ])('and not reached is named: %s', (_what, overrides, short) => {
    expect(reachedGoals([row(overrides), rival], [])).toMatchObject([{ short }]);
  });
});

test('the report says of every solver what issue 6 names, and nothing else', () => {
  const names = [
    'workload',
    'solver',
    'pods',
    'seconds',
    'coldSeconds',
    'hourly',
    'lowerBound',
    'rssMiB',
    'valid',
  ];
  expect(Object.keys(shortRow(row()))).toEqual(names);
});

describe('growth', () => {
  test.each([
    ['linear', 1],
    ['quadratic', 2],
  ])('that is %s has the exponent %d', (_what, power) => {
    const points = [1000, 5000, 50_000].map((pods) => ({ pods, seconds: 1e-6 * pods ** power }));
    expect(growthExponent(points)).toBeCloseTo(power, 9);
  });
});

describe('the stopwatch', () => {
  test('takes times as steady when the last ones are no faster than those before', () => {
    expect(isSteady([9, 5, 5, 5, 5, 5, 5])).toBe(false);
    expect(isSteady([9, 5, 5, 5, 5, 5, 5, 5])).toBe(true);
    expect(isSteady([5, 5])).toBe(false);
  });

  test('runs until times are steady, but no more often than it may', () => {
    const times = [9, 8, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5];
    let run = 0;
    const runs = repeat(() => times[run++] ?? 5, { leastRuns: 4, mostRuns: 50, budget: 60 });
    expect(runs).toEqual([9, 8, 5, 5, 5, 5, 5, 5, 5]);
    let falling = 100;
    expect(repeat(() => falling--, { leastRuns: 4, mostRuns: 12, budget: 60 })).toHaveLength(12);
  });

  test('finds the middle of an odd and of an even number of values', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  });
});

describe('the command line', () => {
  test('with a name is short, without one asks for everything', () => {
    expect(readOptions(['mixed'])).toMatchObject({
      name: 'mixed',
      shuffles: 0,
      karpenterSeconds: 15,
      karpenter: true,
    });
    expect(readOptions([])).toMatchObject({ name: undefined, shuffles: 12, karpenterSeconds: 120 });
  });

  test('takes its numbers as given', () => {
    const options = readOptions(['--shuffles', '3', '--no-karpenter', '--budget', '0']);
    expect(options).toMatchObject({ shuffles: 3, karpenter: false, budget: 0 });
    expect(readOptions(['--help'])).toBe('help');
  });

  test.each(['-1', 'x', '1.5', ''])('refuses %j shuffles, naming the option', (text) => {
    expect(() => readOptions([`--shuffles=${text}`])).toThrow('--shuffles must be a whole number');
  });

  test('refuses what it does not know', () => {
    expect(() => readOptions(['--fast'])).toThrow('--fast');
  });
});
