/**
 * How many pods the real kube-scheduler binds in a second: without an extender, asking one that only echoes, and asking Berth's
 * for pods that are planned and pods that are not, the latter with and without ranking their nodes. Rounds of the kinds alternate,
 * so that what else the host does falls on all of them.
 */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { writeReport } from '../../test/controlplane/fidelity/report.js';
import { aligned } from '../report/aligned.js';
import { percentile } from './percentile.js';
import { KINDS, type Kind, type Round } from './round.js';
import { ThroughputScene } from './throughput-scene.js';

/** Of each round. */
const PODS = Number(process.env['PODS'] ?? 1000);
/** Of each kind. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const SIZES = (process.env['NODES'] ?? '1000,5000').split(',').map(Number);

/** What planned and unplanned pods have to reach of kube-scheduler's own pods a second. */
const GOALS = { planned: 1, unplanned: 0.7, filtered: 0.7 };

interface Row {
  readonly nodes: number;
  readonly podsPerSecondWithout: number;
  readonly podsPerSecondEcho: number;
  readonly podsPerSecondPlanned: number;
  readonly podsPerSecondUnplanned: number;
  /** Of pods that are not planned, where kube-scheduler asks filter only. */
  readonly podsPerSecondFiltered: number;
  readonly filterP50Millis: number;
  readonly filterP99Millis: number;
  readonly plannedRatio: number;
  readonly unplannedRatio: number;
  readonly filteredRatio: number;
  /** Of kube-scheduler and of Berth, for each pod: they depend less on what else the host does. */
  readonly cpuMillisPerPod: Readonly<Record<Kind, { readonly scheduler: number; readonly berth: number }>>;
  readonly rounds: readonly Round[];
}

const rows: Row[] = [];

afterAll(() => {
  writeReport('extender', 'make bench-extender', {
    host: { node: process.version, processors: availableParallelism() },
    podsPerRound: PODS,
    rows,
  });
  process.stderr.write(aligned([HEAD, ...rows.map(cells)]));
});

test.each(SIZES)('at %i nodes planned pods are bound where they are planned', async (nodes) => {
  const scene = await ThroughputScene.start(nodes);
  try {
    const rounds: Round[] = [];
    // What is measured first has code that is not compiled yet.
    await scene.round('unplanned', Math.ceil(PODS / 5));
    for (let number = 0; number < ROUNDS; number++)
      // Forth and back: no kind always comes after another.
      for (const kind of number % 2 === 0 ? KINDS : KINDS.toReversed()) {
        const round = await scene.round(kind, PODS);
        rounds.push(round);
        process.stderr.write(`${JSON.stringify({ nodes, ...round })}\n`);
      }
    rows.push(rowOf(nodes, rounds, scene.filterQuantiles()));
    expect(rounds.map(({ elsewhere }) => elsewhere)).toEqual(rounds.map(() => 0));
  } finally {
    await scene.stop();
  }
});

function rowOf(
  nodes: number,
  rounds: readonly Round[],
  [filterP50Millis, filterP99Millis]: readonly [number, number],
): Row {
  const median = (kind: Kind, figure: (round: Round) => number): number =>
    percentile(
      rounds.filter((round) => round.kind === kind).map((round) => figure(round)),
      0.5,
    );
  const speed = (kind: Kind): number => median(kind, ({ podsPerSecond }) => podsPerSecond);
  const cpu = (kind: Kind): Row['cpuMillisPerPod'][Kind] => ({
    scheduler: median(kind, ({ schedulerCpuMillis }) => schedulerCpuMillis),
    berth: median(kind, ({ berthCpuMillis }) => berthCpuMillis),
  });
  return {
    nodes,
    podsPerSecondWithout: speed('without'),
    podsPerSecondEcho: speed('echo'),
    podsPerSecondPlanned: speed('planned'),
    podsPerSecondUnplanned: speed('unplanned'),
    podsPerSecondFiltered: speed('filtered'),
    ...{ filterP50Millis, filterP99Millis },
    plannedRatio: speed('planned') / speed('without'),
    unplannedRatio: speed('unplanned') / speed('without'),
    filteredRatio: speed('filtered') / speed('without'),
    cpuMillisPerPod: {
      without: cpu('without'),
      echo: cpu('echo'),
      planned: cpu('planned'),
      unplanned: cpu('unplanned'),
      filtered: cpu('filtered'),
    },
    rounds,
  };
}

const HEAD = [
  'nodes',
  'pods/s without',
  'echo',
  'planned',
  'unplanned',
  'filter only',
  'filter ms',
  'kube-scheduler CPU ms a pod',
  '',
];

function cells(row: Row): readonly string[] {
  const { cpuMillisPerPod: cpu, plannedRatio, unplannedRatio, filteredRatio } = row;
  const missed = [
    ...below('planned', plannedRatio),
    ...below('unplanned', unplannedRatio),
    ...below('filtered', filteredRatio),
  ];
  return [
    String(row.nodes),
    row.podsPerSecondWithout.toFixed(1),
    rated(row.podsPerSecondEcho, row.podsPerSecondEcho / row.podsPerSecondWithout),
    rated(row.podsPerSecondPlanned, plannedRatio),
    rated(row.podsPerSecondUnplanned, unplannedRatio),
    rated(row.podsPerSecondFiltered, filteredRatio),
    `p50 ${row.filterP50Millis.toFixed(1)}, p99 ${row.filterP99Millis.toFixed(1)}`,
    KINDS.map((kind) => `${kind} ${cpu[kind].scheduler.toFixed(1)}`).join(', '),
    missed.length === 0 ? '' : `missed: ${missed.join(', ')}`,
  ];
}

function below(kind: keyof typeof GOALS, ratio: number): readonly string[] {
  return ratio < GOALS[kind] ? [`${kind} below ${String(GOALS[kind])}`] : [];
}

/** Pods a second, and of those without an extender. */
function rated(podsPerSecond: number, ratio: number): string {
  return `${podsPerSecond.toFixed(1)} (${ratio.toFixed(2)})`;
}
