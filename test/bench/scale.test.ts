/** What the scale bench makes of its command line and of what it measures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figuresOf } from '../../bench/scale/measuring/loop.js';
import { topFunctions, topOf, type Profile } from '../../bench/scale/measuring/profile.js';
import { readScaleOptions, type CaseRequest } from '../../bench/scale/options.js';
import { containerLimits } from '../../bench/scale/process/container.js';
import { missedGoals, type Row } from '../../bench/scale/report/row.js';
import { table } from '../../bench/scale/report/scale-report.js';

const MEMORY = 1024;

function casesOf(...argv: readonly string[]): readonly CaseRequest[] {
  const options = readScaleOptions(argv, MEMORY);
  return options === 'help' ? [] : options.cases;
}

function row(overrides: Partial<Row> = {}): Row {
  return {
    case: 'pending 500 on 0',
    latencyMillis: 10,
    seconds: 12.34,
    cpuSeconds: 4.5,
    rssMiB: 300,
    loopP99CpuMillis: 8.25,
    writes: 99,
    more: { claimsGivenUp: 0, firstCreateFleetSeconds: 2.3456 },
    missed: [],
    failed: [],
    ...overrides,
  };
}

describe('the command line of the scale bench', () => {
  test('without arguments asks for every case at the sizes of the goals, with a fast and with a slow API server', () => {
    const cases = casesOf();
    const sizes = cases.map(
      ({ name, nodes, pods, latencyMillis }) =>
        `${name} ${String(nodes)} ${String(pods)} ${String(latencyMillis)}`,
    );
    const twice = [0, 10].flatMap((latency) =>
      ['start 5000 1', 'pending 0 50000', 'pending 2000 50000', 'small 0 5', 'churn 5000 0'].map(
        (size) => `${size} ${String(latency)}`,
      ),
    );
    expect(sizes).toEqual([...twice, 'consolidate 2000 0 10']);
    expect(cases.every(({ memoryMiB }) => memoryMiB === MEMORY)).toBe(true);
  });

  test('sets sizes, memory and time of the cases that it names', () => {
    const sizes = ['--nodes', '500', '--pods', '70', '--pods-per-node', '3'];
    const rest = ['--latency', '5', '--memory', '2000', '--limit', '60', '--profile'];
    expect(casesOf('pending', ...sizes, ...rest)).toEqual([
      {
        name: 'pending',
        nodes: 500,
        podsPerNode: 3,
        pods: 70,
        latencyMillis: 5,
        memoryMiB: 2000,
        profile: true,
        limitSeconds: 60,
      },
    ]);
  });

  test('leaves the cluster of small batches empty, since they would need no node otherwise', () => {
    const cases = casesOf('small', 'start', '--nodes', '500', '--latency', '0');
    expect(cases.map(({ name, nodes }) => ({ name, nodes }))).toEqual([
      { name: 'small', nodes: 0 },
      { name: 'start', nodes: 500 },
    ]);
  });

  test.each([
    ['a case that does not exist', ['frobnicate'], "there is no case 'frobnicate'"],
    ['a size that is no number', ['start', '--nodes', 'many'], '--nodes must be a whole number'],
  ])('refuses %s', (_what, argv, message) => {
    expect(() => readScaleOptions(argv, MEMORY)).toThrow(message);
  });
});

test("Berth is run with the memory limit of its own manifest, and with Node's flags there and in its image", () => {
  const { memoryMiB, nodeFlags } = containerLimits({
    manifest: 'manifests/base/controller.yaml',
    dockerfile: 'Dockerfile',
  });
  expect(memoryMiB).toBe(1024);
  expect(nodeFlags.every((flag) => flag.startsWith('--'))).toBe(true);
  expect(nodeFlags.at(-1)).toBe('--max-semi-space-size=16');
});

describe('the figures of the event loop', () => {
  test('count every turn, and those that are long by their own processor time', () => {
    // One of a hundred turns took 30 ms of the thread, another was held up by a neighbour.
    const lines = [
      { ticks: 60, pieces: [[31, 30]] as const },
      { ticks: 40, pieces: [[200, 4]] as const },
    ];
    expect(figuresOf(lines)).toEqual({ loopP99CpuMillis: 4, loopMaxCpuMillis: 30 });
  });

  test('are the least that the probe notes where no turn was long', () => {
    expect(figuresOf([{ ticks: 100, pieces: [] }])).toEqual({ loopP99CpuMillis: 2, loopMaxCpuMillis: 2 });
  });
});

test('a profile names functions by their own time and by that of all they call, without what is idle', () => {
  const frame = (functionName: string) => ({ functionName, url: '', lineNumber: 0, columnNumber: 0 });
  const profile: Profile = {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 4] },
      { id: 2, callFrame: frame('watch'), children: [3] },
      { id: 3, callFrame: frame('parse') },
      { id: 4, callFrame: frame('(idle)') },
    ],
    samples: [2, 3, 3, 4],
    timeDeltas: [1000, 2000, 3000, 50_000],
  };
  expect(topOf(profile, ({ functionName }) => functionName)).toEqual({
    busyMillis: 6,
    self: ['parse 5', 'watch 1'],
    total: ['watch 6', 'parse 5'],
  });
});

test('functions of V8 itself, which have no place, keep their own names in a profile', () => {
  const frame = (functionName: string) => ({ functionName, url: '', lineNumber: -1, columnNumber: -1 });
  const profile: Profile = {
    nodes: [
      { id: 1, callFrame: frame('(garbage collector)') },
      { id: 2, callFrame: frame('writev') },
    ],
    samples: [1, 2],
    timeDeltas: [7000, 3000],
  };
  const folder = mkdtempSync(join(tmpdir(), 'berth-scale-'));
  try {
    const file = join(folder, 'main.cpuprofile');
    writeFileSync(file, JSON.stringify(profile));
    expect(topFunctions(file, folder).self).toEqual(['(garbage collector) 7', 'writev 3']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('the rows of the scale bench', () => {
  test('name the goals that they miss, a figure that is missing too', () => {
    const goals = [
      { what: 'seconds', figure: 9.99, atMost: 10 },
      { what: 'cores', figure: 0.5123, atMost: 0.35 },
      { what: 'launches', figure: NaN, atMost: 1 },
    ];
    expect(missedGoals(goals)).toEqual(['cores 0.512, at most 0.35', 'launches NaN, at most 1']);
  });

  test('are a line each, with a line for what was missed and for what failed', () => {
    const text = table([row(), row({ missed: ['cores 1, at most 0.35'], failed: ['3 pods have no place'] })]);
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[1]).toContain('claimsGivenUp 0, firstCreateFleetSeconds 2.35');
    expect(lines[3]).toBe('FAILED pending 500 on 0, 10 ms a request: 3 pods have no place');
    expect(lines[4]).toBe('missed pending 500 on 0, 10 ms a request: cores 1, at most 0.35');
  });
});
