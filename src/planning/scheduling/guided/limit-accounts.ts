/** Limits of pools as the optimizer's accounts. */
import type { Accounts, Machines } from '../../optimizer/bin-problem.js';
import { rowCapacity } from '../launchables.js';
import type { Packing } from '../packing.js';
import type { MachineTable } from './machine-table.js';

export interface LimitAccounts extends Pick<Machines, 'account' | 'charge'> {
  readonly accounts: Accounts;
}

/** One account per pool that has limits; each of its limits is an entry. */
export function limitAccounts({ problem, usage }: Packing, { row, count }: MachineTable): LimitAccounts {
  const { launchables, snapshot } = problem;
  const entries = snapshot.pools.flatMap((_, pool) =>
    usage.limited(pool).map((resource) => ({ pool, resource, left: usage.left(pool, resource) })),
  );
  const limited = [...new Set(entries.map(({ pool }) => pool))];
  const charge = new Float64Array(count * entries.length);
  const account = new Int32Array(count).fill(-1);
  row.forEach((each, machine) => {
    const pool = launchables.rowPool[each] ?? -1;
    account[machine] = limited.indexOf(pool);
    if (account[machine] === -1) return;
    const capacity = rowCapacity(launchables, each);
    entries.forEach((entry, index) => {
      if (entry.pool === pool)
        charge[machine * entries.length + index] = usage.charge(entry.resource, capacity);
    });
  });
  const left = Float64Array.from(entries, (entry) => Math.max(0, entry.left));
  return { account, charge, accounts: { limits: entries.length, left } };
}
