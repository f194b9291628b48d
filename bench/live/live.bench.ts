/** Karpenter and Berth, one after the other, on a real control plane with KWOK's nodes: the same types, prices and trace. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { ControlPlane } from '../../test/controlplane/fixture/control-plane.js';
import { writeReport } from '../../test/controlplane/fidelity/report.js';
import { startBerth } from '../../test/live/fixture/berth.js';
import { startKarpenter } from '../../test/live/fixture/karpenter.js';
import { builds, startLiveCluster } from '../../test/live/fixture/live-cluster.js';
import type { System } from '../../test/live/fixture/system.js';
import { headCommit } from '../../test/support/head-commit.js';
import { aligned } from '../report/aligned.js';
import { writeInstanceTypes } from './instance-types.js';
import { measure, type Row } from './measure.js';
import { NODE_POOL } from './node-pool.js';

const built = builds();
const folder = mkdtempSync(join(tmpdir(), 'berth-live-'));
const instanceTypes = join(folder, 'instance-types.json');
const prices = writeInstanceTypes(instanceTypes);
const commit = headCommit()?.slice(0, 8) ?? 'unknown';
const rows: Row[] = [];

type Start = (cluster: ControlPlane) => Promise<System>;

const SYSTEMS: readonly (readonly [string, Start])[] = [
  ['Karpenter', (cluster) => startKarpenter(cluster, built, instanceTypes)],
  ['Berth', (cluster) => startBerth(cluster, instanceTypes, commit)],
];

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  writeReport('live', 'make bench-live', { rows });
  process.stderr.write(aligned(table()));
});

test.each(SYSTEMS)('%s places every pod of the trace', async (_name, start) => {
  const cluster = await startLiveCluster(built);
  try {
    const system = await start(cluster);
    try {
      await system.putPool(NODE_POOL);
      await measure(cluster, system, prices, (row) => {
        rows.push(row);
        process.stderr.write(`${JSON.stringify(row)}\n`);
      });
    } finally {
      await system.stop();
    }
  } finally {
    await cluster.stop();
  }
});

/** Steps below each other, systems side by side. */
function table(): readonly (readonly string[])[] {
  const [first] = rows;
  const columns = Object.keys(first ?? {}) as (keyof Row)[];
  const order = [...new Set(rows.map(({ trace }) => trace))];
  const sorted = order.flatMap((trace) => rows.filter((row) => row.trace === trace));
  return [columns, ...sorted.map((row) => columns.map((column) => String(row[column])))];
}
