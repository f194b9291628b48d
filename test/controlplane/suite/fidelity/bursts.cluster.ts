/** A burst in an empty cluster lands where it was planned: all of it where kube-scheduler asks us, and how much elsewhere. */
import process from 'node:process';
import { ATTEMPTS_MILLIS } from '../../berth/until-asked.js';
import { measureAsked, type FidelityRow } from '../../fidelity/measure.js';
import { writeFidelity } from '../../fidelity/report.js';
import { BURST, MIXED, type Workload } from '../../fidelity/workload.js';

const rows: FidelityRow[] = [];

async function measured(workload: Workload): Promise<FidelityRow> {
  const row = await measureAsked(workload);
  rows.push(row);
  return row;
}

describe('a burst of 300 pods in an empty cluster', () => {
  afterAll(() => {
    writeFidelity(rows);
    process.stderr.write(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  });

  test.each([BURST, MIXED])(
    'at L2 lands where it was planned, with no node empty and none bought twice: $name',
    async (workload) => {
      expect(await measured(workload)).toMatchObject({
        pods: 300,
        boundWherePlanned: 300,
        boundElsewhere: 0,
        boundAfterReplan: 0,
        nodesBornEmpty: 0,
        secondLaunches: 0,
      });
    },
    ATTEMPTS_MILLIS,
  );

  test.each(['L0', 'none'] as const)('at level %s is bound in the end, wherever that is', async (level) => {
    const row = await measured({ ...BURST, cluster: { level } });
    expect(row.pods).toBe(300);
    expect(row.boundWherePlanned + row.boundElsewhere + row.boundAfterReplan + row.boundUnplanned).toBe(300);
  });
});
