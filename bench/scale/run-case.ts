/** One case in a process of its own: everything that it starts is in its process group. */
import { join } from 'node:path';
import { measureChurn } from './cases/churn.js';
import { measureConsolidation } from './cases/consolidate.js';
import { measurePending } from './cases/pending.js';
import type { CaseContext } from './cases/phase.js';
import { measureSmallBatch } from './cases/small-batch.js';
import { measureStart } from './cases/start.js';
import type { CaseName, CaseRequest } from './options.js';
import type { ContainerLimits } from './process/container.js';
import { MeasuredCluster } from './process/measured-cluster.js';
import type { Row } from './report/row.js';
import type { WorldRequest } from './world/world-process.js';

/** What the process is started with. */
export interface CaseOrder {
  readonly request: CaseRequest;
  readonly root: string;
  readonly program: string;
  readonly apiBinary: string;
  readonly limits: ContainerLimits;
}

/** What it says of itself while it works. */
export type CaseMessage = { readonly line: string } | { readonly row: Row };

const MEASURES: Readonly<Record<CaseName, (context: CaseContext) => Promise<void>>> = {
  start: measureStart,
  pending: measurePending,
  small: measureSmallBatch,
  churn: measureChurn,
  consolidate: measureConsolidation,
};

/** As long as instances of EC2 take to become nodes. */
const BOOT_SECONDS = 40;
/** Where boots are not what is measured, and follow one another. */
const SHORT_BOOT_SECONDS = 5;

type Contents = Pick<WorldRequest, 'kind' | 'share' | 'bootSeconds'>;

function full(share: number): Contents {
  return { kind: 'full', share, bootSeconds: BOOT_SECONDS };
}

const CONTENTS: Readonly<Record<CaseName, Contents>> = {
  start: full(0.9),
  pending: full(0.5),
  small: full(0),
  churn: full(0.9),
  consolidate: { kind: 'half-full', share: 0.5, bootSeconds: SHORT_BOOT_SECONDS },
};

/** @throws Error when one of the processes ends. */
export async function runCase({ request, root, program, apiBinary, limits }: CaseOrder): Promise<void> {
  const { name, nodes, podsPerNode, latencyMillis, memoryMiB } = request;
  const cluster = await MeasuredCluster.start({
    ...{ root, program, apiBinary, latencyMillis, nodes, podsPerNode },
    folder: join(root, 'reports/scale', `${name}-${String(nodes)}-${String(latencyMillis)}ms`),
    ...CONTENTS[name],
    limits: { ...limits, memoryMiB },
  });
  try {
    const tell = (line: string): void => {
      send({ line });
    };
    const give = (row: Row): void => {
      send({ row });
    };
    await MEASURES[name]({ request, root, cluster, tell, give });
  } finally {
    await cluster.stop();
  }
}

function send(message: CaseMessage): void {
  process.send?.(message);
}
