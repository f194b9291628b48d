/** What compared days say together, and as a table. */
import type { ComparedDay } from './compare-day.js';

/** By how much both savings may differ, as a share of the bill. */
const MOST_ERROR = 0.03;

export interface Summary {
  readonly runs: number;
  /** USD, over all days. */
  readonly billUsd: number;
  readonly predictedSavingUsd: number;
  readonly realisedSavingUsd: number;
  /** Shares of the bill: that of the worst day, and of all days together. */
  readonly worstError: number;
  readonly error: number;
  readonly mutatingCalls: number;
  readonly pendingPods: number;
  /** Whether nothing is more than it may be. */
  readonly isKept: boolean;
}

export function summaryOf(days: readonly ComparedDay[]): Summary {
  const sum = (of: (day: ComparedDay) => number): number => days.reduce((total, day) => total + of(day), 0);
  const billUsd = sum((day) => day.billUsd);
  const predictedSavingUsd = sum((day) => day.predictedSavingUsd);
  const realisedSavingUsd = sum((day) => day.realisedSavingUsd);
  const worstError = days.reduce((worst, { error }) => Math.max(worst, Math.abs(error)), 0);
  const mutatingCalls = sum((day) => day.mutatingCalls);
  const pendingPods = sum((day) => day.pendingPods);
  return {
    runs: days.length,
    ...{ billUsd, predictedSavingUsd, realisedSavingUsd, worstError, mutatingCalls, pendingPods },
    error: (predictedSavingUsd - realisedSavingUsd) / billUsd,
    isKept: days.length > 0 && worstError <= MOST_ERROR && mutatingCalls + pendingPods === 0,
  };
}

const COLUMNS = [
  ...['seed', 'nodes', 'bill', 'observed saving', 'real saving', 'of the bill'],
  ...['USD/h observed', 'USD/h real', 'launches', 'removals'],
];

export const HEADING = row(COLUMNS);

export function dayText(day: ComparedDay): string {
  const { predicted, realised, nodes } = day;
  return row([
    ...[String(day.seed), nodes.join(' → '), usd(day.billUsd)],
    ...[usd(day.predictedSavingUsd), usd(day.realisedSavingUsd), percent(day.error)],
    ...[usd(predicted.hourlyAtEnd), usd(realised.hourlyAtEnd)],
    `${String(predicted.launches)} : ${String(realised.launches)}`,
    `${String(predicted.removals)} : ${String(realised.removals)}`,
  ]);
}

export function summaryText(summary: Summary): readonly string[] {
  const lines: readonly (readonly [string, string])[] = [
    ['bill, USD', usd(summary.billUsd)],
    ['observed saving, USD', usd(summary.predictedSavingUsd)],
    ['real saving, USD', usd(summary.realisedSavingUsd)],
    ['difference, of the bill', percent(summary.error)],
    ['worst day', percent(summary.worstError)],
    ['mutating calls', String(summary.mutatingCalls)],
    ['pods without a node', String(summary.pendingPods)],
  ];
  return lines.map(([name, value]) => `${name.padEnd(24)} ${value}`);
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(COLUMNS[index]?.length ?? 0)).join('  ');
}

function usd(amount: number): string {
  return amount.toFixed(2);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
