/** The report file of the feasibility suite. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../architecture/project-files.js';
import { headCommit } from '../../support/head-commit.js';
import type { Difference } from './compare.js';
import type { RoundResult } from './round.js';
import type { KindCount } from './tally.js';

export interface FeasibilityRun {
  /** For example `v1.36.3`. */
  readonly kubernetes: string;
  readonly seed: number;
  readonly pods: number;
  readonly rounds: readonly RoundResult[];
  readonly perKind: Readonly<Record<string, KindCount>>;
  /** Shorter runs leave the report of the last full one alone. */
  readonly isFull: boolean;
}

/** Writes reports/feasibility.json, or reports/feasibility-MINOR.json for an older minor, and returns the figures in a line. */
export function writeFeasibilityReport({ rounds, perKind, isFull, ...run }: FeasibilityRun): string {
  const found = rounds.flatMap((round) => round.found);
  const count = (kind: Difference['kind']): number => found.filter((item) => item.kind === kind).length;
  const sum = (of: (round: RoundResult) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0);
  const minor = run.kubernetes.split('.').slice(0, 2).join('.').replace('v', '');
  const report = {
    ...run,
    nodes: Math.min(...rounds.map(({ nodes }) => nodes)),
    clusters: rounds.length,
    verdicts: sum(({ verdicts }) => verdicts),
    fitNowhere: sum(({ nowhere }) => nowhere),
    weYesTheyNo: count('we yes, they no'),
    weNoTheyYes: count('we no, they yes'),
    otherCounts: count('other counts'),
    command: `KUBERNETES=${minor} test/controlplane/run.sh suite/feasibility`,
    commit: headCommit(),
    perKind,
  };
  if (isFull) {
    const folder = join(projectRoot, 'reports');
    mkdirSync(folder, { recursive: true });
    const name = minor === '1.36' ? 'feasibility.json' : `feasibility-${minor}.json`;
    writeFileSync(join(folder, name), `${JSON.stringify(report, undefined, 2)}\n`);
  }
  const { pods, clusters, verdicts, fitNowhere, weYesTheyNo, weNoTheyYes, otherCounts } = report;
  return JSON.stringify({ pods, clusters, verdicts, fitNowhere, weYesTheyNo, weNoTheyYes, otherCounts });
}
