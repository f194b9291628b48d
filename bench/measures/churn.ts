/** Evictions and price of clusters whose workloads change: how long a saving is expected to last, beside a constant day. */
import { aligned } from '../report/aligned.js';
import type { Bench } from '../run-workload.js';
import { measureChurnInProcess } from '../solvers/berth.js';
import type { ChurnRow } from '../solvers/measure-churn.js';
import { CHURN_KINDS } from '../workloads/churn.js';
import { verdict, type Measure } from './measure.js';

const SEEDS = [1, 2, 3];
/** What a constant day is expected of every saving by. */
const CONSTANT = { leastHorizonHours: 24 };
const MOST_PRICE = 1.02;
/** Evictions, by those of a constant day, over all. */
const MOST_EVICTIONS = 1 / 3;

export async function measureChurn(bench: Bench): Promise<Measure> {
  const rows: (ChurnRow & { readonly constantUsd: number; readonly constantEvictions: number })[] = [];
  for (const { name } of CHURN_KINDS) {
    bench.report(`  ${name} …`);
    const questions = SEEDS.flatMap((seed) => [{}, CONSTANT].map((options) => ({ name, seed, options })));
    const measured = await measureChurnInProcess(bench.program, questions);
    for (let index = 0; index < measured.length; index += 2) {
      const [row, constant] = [measured[index], measured[index + 1]];
      if (row === undefined || constant === undefined) continue;
      rows.push({ ...row, constantUsd: constant.usd, constantEvictions: constant.evictions });
    }
  }
  const sum = (amount: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((total, row) => total + amount(row), 0);
  const share = sum(({ evictions }) => evictions) / sum(({ constantEvictions }) => constantEvictions);
  const highest = Math.max(...rows.map(({ usd, constantUsd }) => usd / constantUsd));
  const reached = share <= MOST_EVICTIONS && highest <= MOST_PRICE;
  const lines = rows.map(({ kind, seed, evictions, constantEvictions, usd, constantUsd }) => [
    ...[kind, String(seed), String(constantEvictions), String(evictions)],
    ...[constantUsd.toFixed(3), usd.toFixed(3), (usd / constantUsd).toFixed(3)],
  ]);
  const head = ['churn', 'seed', 'evictions, a day', 'evictions', 'USD, a day', 'USD', 'ratio'];
  const end = `evictions ${share.toFixed(2)} of those with a constant day, price at most ${highest.toFixed(3)} of it`;
  return {
    line: `churn: ${end} ${verdict('a third, 1.02', reached)}\n${aligned([head, ...lines]).trimEnd()}`,
    figures: { rows, share, highest, reached },
    valid: true,
    reached,
  };
}
