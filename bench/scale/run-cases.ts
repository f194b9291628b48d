/** Runs the cases one after the other, each in a process group of its own that ends with its time. */
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import type { CaseRequest } from './options.js';
import type { ContainerLimits } from './process/container.js';
import type { Row } from './report/row.js';
import { LEGEND, table, writeScaleReport } from './report/scale-report.js';
import { CASE } from './roles.js';
import type { CaseMessage, CaseOrder } from './run-case.js';

export interface RunOptions {
  readonly root: string;
  readonly program: string;
  readonly limits: ContainerLimits;
  readonly cases: readonly CaseRequest[];
}

/** Answers the exit code: 0 when no row has failed, 1 otherwise. */
export async function runCases({ root, program, limits, cases }: RunOptions): Promise<number> {
  const apiBinary = execFileSync(join(root, 'bench/scale/api/build.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  const rows: Row[] = [];
  const save = (): void => {
    writeScaleReport(root, `make bench-scale ARGS="${process.argv.slice(2).join(' ')}"`, rows);
  };
  for (const request of cases) {
    const order: CaseOrder = { request, root, program, apiBinary, limits };
    const failure = await runInGroup(program, order, (row) => {
      rows.push(row);
      save();
    });
    if (failure === undefined) continue;
    rows.push(failedRow(request, failure));
    save();
  }
  process.stdout.write(table(rows) + LEGEND);
  return rows.some(({ failed }) => failed.length > 0) ? 1 : 0;
}

/** Answers what went wrong with the case as a whole. */
async function runInGroup(
  program: string,
  order: CaseOrder,
  give: (row: Row) => void,
): Promise<string | undefined> {
  const { name, nodes, latencyMillis, limitSeconds } = order.request;
  const title = `${name} (${String(nodes)} nodes, ${String(latencyMillis)} ms a request)`;
  // A group of its own, so that all that it starts can be ended at once.
  const child = fork(program, [CASE, JSON.stringify(order)], { detached: true, serialization: 'advanced' });
  const stop = (): void => {
    killGroup(child);
  };
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    stop();
  }, limitSeconds * 1000);
  process.once('exit', stop);
  child.on('message', (message: CaseMessage) => {
    if ('row' in message) give(message.row);
    else process.stderr.write(`${title}: ${message.line}\n`);
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  stop();
  process.off('exit', stop);
  if (late.signal.aborted) return `not done after ${String(limitSeconds)} s`;
  return code === 0 ? undefined : 'ended with an error, see above';
}

/** Those that ended already are no error. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone.
  }
}

function failedRow({ name, nodes, latencyMillis }: CaseRequest, failure: string): Row {
  return {
    case: `${name} on ${String(nodes)}`,
    ...{ latencyMillis, seconds: NaN, cpuSeconds: NaN, rssMiB: NaN, loopP99CpuMillis: NaN, writes: 0 },
    more: {},
    missed: [],
    failed: [failure],
  };
}
