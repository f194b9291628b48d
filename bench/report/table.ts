/** The benchmark's rows for people. */
import { aligned } from './aligned.js';
import type { Row } from './row.js';

interface Column {
  readonly head: string;
  readonly cell: (row: Row, rows: readonly Row[]) => string;
}

const COLUMNS: readonly Column[] = [
  { head: 'workload', cell: ({ workload }) => workload },
  { head: 'solver', cell: ({ solver }) => solver },
  { head: 'pods', cell: ({ pods }) => String(pods) },
  { head: 'claims', cell: ({ claims }) => String(claims) },
  { head: 'ms', cell: ({ seconds }) => millis(seconds) },
  { head: 'min', cell: ({ berth }) => millis(berth?.leastSeconds) },
  { head: 'cpu', cell: ({ cpuSeconds }) => millis(cpuSeconds) },
  { head: 'cold', cell: ({ coldSeconds }) => millis(coldSeconds) },
  { head: 'start', cell: ({ berth }) => millis(berth?.sinceStartSeconds) },
  { head: 'snapshot', cell: ({ berth }) => millis(berth?.snapshotSeconds) },
  { head: 'compile', cell: ({ berth }) => millis(berth?.compileSeconds) },
  { head: 'pods/s', cell: (row) => podsPerSecond(row).toFixed(0) },
  { head: 'x', cell: (row, rows) => fasterBy(row, rows)?.toFixed(0) ?? '' },
  { head: 'x cpu', cell: (row, rows) => fasterByCpu(row, rows)?.toFixed(0) ?? '' },
  { head: 'USD/h', cell: ({ hourly }) => hourly.toFixed(2) },
  { head: 'bound', cell: ({ lowerBound }) => lowerBound?.toFixed(2) ?? '' },
  { head: 'by', cell: ({ berth }) => berth?.boundBy ?? '' },
  { head: 'ratio', cell: (row) => ratioOf(row)?.toFixed(4) ?? '' },
  { head: 'highest', cell: ({ berth }) => berth?.highest.toFixed(2) ?? '' },
  { head: 'spot>=15', cell: ({ berth }) => diverseShare(berth) },
  { head: 'MiB', cell: ({ rssMiB }) => String(rssMiB) },
  { head: 'valid', cell: ({ valid, remark }) => [valid ? 'yes' : 'no', remark].filter(Boolean).join(': ') },
];

export const LEGEND = `ms: a middle run of plan() in a warm process (Karpenter: its only Solve); min: the fastest; cpu: processor time of one run, the least;
cold: the first run in a process; start: from the start of the process to its first plan; snapshot, compile: building the snapshot,
which comes before ms, and compiling, which is part of it; x, x cpu: pods per second, and per second of processor time, by the better
of Karpenter's; USD/h: each claim at its cheapest listed offering; bound: what no plan goes below, proved by weak duality from the
prices of the judge or of the plan (--duals), by: whose prove more; ratio: price by bound; highest: each claim at its most expensive
offering; spot>=15: spot claims that list 15 types or more; MiB: resident at the peak.
`;

export function podsPerSecond({ placed, seconds }: Pick<Row, 'placed' | 'seconds'>): number {
  return seconds > 0 ? placed / seconds : 0;
}

/** Price by lower bound; undefined without a bound, and for plans that leave pods out. */
export function ratioOf({ hourly, lowerBound, valid }: Row): number | undefined {
  return lowerBound === null || lowerBound <= 0 || !valid ? undefined : hourly / lowerBound;
}

/** Rows in columns, words to the left, numbers to the right. */
export function table(rows: readonly Row[]): string {
  return aligned([
    COLUMNS.map(({ head }) => head),
    ...rows.map((row) => COLUMNS.map(({ cell }) => cell(row, rows))),
  ]);
}

/** How many times the pods/s of the better Karpenter run on the same workload; undefined for Karpenter itself. */
export function fasterBy(row: Row, rows: readonly Row[]): number | undefined {
  return times(podsPerSecond(row), rivals(row, rows).map(podsPerSecond));
}

/** The same by processor time. */
function fasterByCpu(row: Row, rows: readonly Row[]): number | undefined {
  const rate = ({ placed, cpuSeconds }: Row): number => (cpuSeconds > 0 ? placed / cpuSeconds : 0);
  return times(rate(row), rivals(row, rows).map(rate));
}

function rivals({ workload, solver }: Row, rows: readonly Row[]): readonly Row[] {
  if (solver.startsWith('karpenter')) return [];
  return rows.filter((row) => row.workload === workload && row.solver.startsWith('karpenter'));
}

function times(rate: number, others: readonly number[]): number | undefined {
  const best = Math.max(0, ...others);
  return best === 0 ? undefined : rate / best;
}

/** Of the spot claims, those that list 15 types or more; '' where there are none. */
export function diverseShare(berth: Row['berth']): string {
  if (berth === undefined || berth.spotClaims === 0) return '';
  return `${((100 * berth.diverseSpotClaims) / berth.spotClaims).toFixed(0)} %`;
}

function millis(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return '';
  const value = seconds * 1000;
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
