/** Karpenter in a process of its own: its scheduler, linked as a library, on the same pods, pools and types. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeNeutralFile } from '../workloads/neutral-file.js';
import type { PosedQuestion } from '../workloads/question.js';

/** What the driver prints. */
export interface KarpenterAnswer {
  readonly scheduled: number;
  /** Seconds of building the scheduler, and of its Solve. */
  readonly setup: number;
  readonly solve: number;
  /** Seconds of all processors in Solve. */
  readonly cpu: number;
  /** Whether Solve was stopped. */
  readonly stopped: boolean;
  readonly claims: number;
  /** USD/h, each claim at its cheapest offering. */
  readonly hourly: number;
  readonly rssMiB: number;
}

/** The driver: where it is, or why there is none, in one line. */
export type Driver = { readonly path: string } | { readonly missing: string };

const MISSING = 3;

/** Builds the driver unless it was built before. */
export function buildDriver(projectRoot: string): Driver {
  const script = join(projectRoot, 'bench/karpenter/build.sh');
  const { status, stdout, stderr } = spawnSync(script, [], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return { path: stdout.trim() };
  const lines = stderr.trim().split('\n');
  return { missing: (status === MISSING ? lines.at(-1) : lines.slice(-3).join(' ')) ?? 'it cannot be built' };
}

export interface KarpenterOptions {
  readonly workers: number;
  /** Seconds after which Solve is stopped. */
  readonly most: number;
}

/** @throws Error when the driver fails. */
export function solveWithKarpenter(
  driver: string,
  question: PosedQuestion,
  { workers, most }: KarpenterOptions,
): KarpenterAnswer {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  try {
    const file = join(folder, 'workload.json');
    writeNeutralFile(file, question);
    const { status, stdout, stderr } = spawnSync(
      driver,
      ['-f', file, '-c', String(workers), '-timeout', `${String(most)}s`],
      { encoding: 'utf8', maxBuffer: 2 ** 26 },
    );
    if (status !== 0) throw new Error(`the Karpenter driver exits with ${String(status)}: ${stderr.trim()}`);
    return JSON.parse(stdout) as KarpenterAnswer;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
