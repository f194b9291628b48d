/** Limits of pools as the optimizer's accounts. */
import type { Accounts, Machines } from '../../optimize/problem/bin-problem.js';
import { rowCapacity } from '../../model/launch/launchables.js';
import type { Packing } from '../../rules/packing.js';
import type { MachineTable } from './machine-table.js';

export interface LimitAccounts extends Pick<Machines, 'account' | 'charge'> {
  readonly accounts: Accounts;
}

/** One account per pool that has limits. A machine is charged to its own only, so that many pools take no more memory. */
export function limitAccounts({ problem, usage }: Packing, { row, count }: MachineTable): LimitAccounts {
  const { launchables, snapshot } = problem;
  const accountOf = new Int32Array(snapshot.pools.length).fill(-1);
  const limitsOf: (readonly string[])[] = [];
  const [first, left]: [number[], number[]] = [[], []];
  for (let pool = 0; pool < snapshot.pools.length; pool++) {
    const limits = usage.limited(pool);
    if (limits.length === 0) continue;
    accountOf[pool] = limitsOf.length;
    limitsOf.push(limits);
    first.push(left.length);
    for (const resource of limits) left.push(Math.max(0, usage.left(pool, resource)));
  }
  const width = Math.max(0, ...limitsOf.map(({ length }) => length));
  const charge = new Float64Array(count * width);
  const account = new Int32Array(count).fill(-1);
  row.forEach((each, machine) => {
    const own = accountOf[launchables.rowPool[each] ?? -1] ?? -1;
    account[machine] = own;
    const limits = limitsOf[own];
    if (limits === undefined) return;
    const capacity = rowCapacity(launchables, each);
    for (const [index, resource] of limits.entries())
      charge[machine * width + index] = usage.charge(resource, capacity);
  });
  const accounts = {
    limits: left.length,
    width,
    first: Int32Array.from(first),
    left: Float64Array.from(left),
  };
  return { account, charge, accounts };
}
