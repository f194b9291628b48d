/** One input of a kind that once made planning slow, planned once by a process that has just started. */
import { join } from 'node:path';
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import { BLOWUPS, HOSTILE } from '../workloads/blowups.js';
import { instanceTypes } from '../workloads/instance-types.js';
import { peakMebibytes } from './peak-memory.js';
import { processorSeconds } from './stopwatch.js';

export interface BlowupQuestion {
  readonly name: string;
  readonly size: number;
  /** Folder with catalog.json; undefined: the embedded catalogue. */
  readonly folder: string | undefined;
}

export interface BlowupPoint {
  readonly size: number;
  readonly pods: number;
  readonly placed: number;
  /** Of all processors, the snapshot included. */
  readonly seconds: number;
  readonly rssMiB: number;
}

/** @throws Error when no kind has the name. */
export function measureBlowup({ name, size, folder }: BlowupQuestion): BlowupPoint {
  const blowup = [...BLOWUPS, HOSTILE].find((each) => each.name === name);
  if (blowup === undefined) throw new Error(`no blow-up is called ${name}`);
  const types = instanceTypes(folder === undefined ? undefined : join(folder, 'catalog.json'));
  const input = blowup.make(size, types);
  const before = process.cpuUsage();
  const { placements } = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
  const seconds = processorSeconds(before);
  return { size, pods: input.pods.length, placed: placements.length, seconds, rssMiB: peakMebibytes() };
}
