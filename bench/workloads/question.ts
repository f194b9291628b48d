/** One question for the solvers: which workload, from which seed, in which order; small enough to hand to a process. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { instanceTypes } from './instance-types.js';
import {
  COMPARED,
  FULL_CLUSTER,
  GROWING,
  HALF_FULL,
  makeWorkload,
  RUNNING_CLUSTER,
  SECOND_BATCH,
  SHARED_KINDS,
  THOUSAND_NODES,
  type WorkloadKind,
} from './named-workloads.js';
import { shuffled } from './shuffle.js';
import type { Workload } from './workload.js';

export interface Question {
  readonly workload: string;
  /** Folder with the workload's file and `catalog.json`; undefined: one of our own, over the embedded catalogue. */
  readonly folder: string | undefined;
  /** 0: as it is. Otherwise pods from another seed where the workload can be made anew, in another order, renamed. */
  readonly shuffle: number;
}

/** A question with all that it is about. */
export interface PosedQuestion {
  readonly workload: Workload;
  readonly types: readonly InstanceType[];
}

const OWN_KINDS: readonly WorkloadKind[] = [
  ...COMPARED,
  ...GROWING,
  SECOND_BATCH,
  FULL_CLUSTER,
  RUNNING_CLUSTER,
  THOUSAND_NODES,
  HALF_FULL,
];

/** Distance between the seeds of two shuffles. */
const SEED_STEP = 1009;

/**
 * The workload that a question is about.
 * @throws Error when there is no such workload, or its files cannot be read.
 */
export function pose({ workload: name, folder, shuffle }: Question): PosedQuestion {
  const types = instanceTypes(folder === undefined ? undefined : join(folder, 'catalog.json'));
  const kinds = folder === undefined ? OWN_KINDS : SHARED_KINDS;
  const kind = kinds.find((item) => item.name === name);
  const seed = (kind?.seed ?? 0) + shuffle * SEED_STEP;
  const original = folder === undefined ? undefined : readWorkload(join(folder, `${name}.json`));
  const made = kind && madeAnew(kind, { seed, types, original });
  const workload = made ?? original;
  if (workload === undefined) throw new Error(`no workload is called ${name}`);
  return { types, workload: shuffle === 0 ? (original ?? workload) : shuffled(workload, seed) };
}

interface Origin {
  readonly seed: number;
  readonly types: readonly InstanceType[];
  readonly original: Workload | undefined;
}

/** A file's workload from another seed: its own pools and agents, with pods of the same distribution. */
function madeAnew(kind: WorkloadKind, { seed, types, original }: Origin): Workload {
  const made = makeWorkload(kind, seed, types);
  return original === undefined ? made : { ...original, seed, pods: made.pods };
}

function readWorkload(file: string): Workload {
  const { nodes = [], ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Omit<Workload, 'nodes'> &
    Partial<Pick<Workload, 'nodes'>>;
  return { ...rest, nodes };
}

/** Names of the workloads whose files are in the folder. */
export function workloadsIn(folder: string): readonly string[] {
  return SHARED_KINDS.map(({ name }) => name).filter((name) => existsSync(join(folder, `${name}.json`)));
}
