/** What several shuffles of one workload came to. */
import { aligned } from './aligned.js';

export interface ShuffleRow {
  readonly workload: string;
  readonly shuffles: number;
  /** Of the price by the lower bound of the same shuffle. */
  readonly medianRatio: number;
  readonly worstRatio: number;
  readonly ratios: readonly number[];
  /** Prices at the most expensive listed offerings by those at the cheapest, over all shuffles. */
  readonly highestShare: number;
  /** Of the spot claims, those that list at least 15 types; null where nothing is bought on spot. */
  readonly diverseSpotShare: number | null;
  /** Of plan() in a process that has planned before. */
  readonly medianSeconds: number;
  readonly valid: boolean;
}

export function shuffleTable(rows: readonly ShuffleRow[]): string {
  const head = ['workload', 'shuffles', 'median ratio', 'worst', 'highest/lowest', 'spot>=15', 'ms', 'valid'];
  const lines = rows.map((row) => [
    row.workload,
    String(row.shuffles),
    row.medianRatio.toFixed(4),
    row.worstRatio.toFixed(4),
    row.highestShare.toFixed(2),
    row.diverseSpotShare === null ? '' : `${(100 * row.diverseSpotShare).toFixed(0)} %`,
    (row.medianSeconds * 1000).toFixed(0),
    row.valid ? 'yes' : 'no',
  ]);
  return aligned([head, ...lines]);
}
