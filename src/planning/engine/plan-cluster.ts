/**
 * Plans a cluster whose pools may launch into capacity reservations. What these still have is filled before anything is
 * bought, as nodes are that exist: the machines are paid. Machine by machine, so that no reservation is used more often
 * than it can be.
 */
import type { Plan } from '../plan.js';
import type { PlanOptions } from '../plan-options.js';
import { plan, type PlanAids } from './plan.js';
import { buildSnapshot } from '../snapshot/build-snapshot.js';
import type { ClusterInput } from '../snapshot/cluster-input.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { usedMachines, withReservedClaims } from './reserved-claims.js';
import { ReservedMachines, type ReservedMachine } from './reserved-machines.js';

/** Times that what nobody came to is left out and planned without. */
const MAX_SETTLES = 3;

/** Whether some pool may launch into a capacity reservation. */
export function hasReservations({ pools }: Pick<ClusterInput, 'pools'>): boolean {
  return pools.some(({ instanceTypes }) =>
    instanceTypes?.some(({ offerings }) => offerings.some(({ reservation }) => reservation !== undefined)),
  );
}

/** Places every pending pod of the input, or says why not. Same input and options, same plan; never throws. */
export function planCluster(input: ClusterInput, options: PlanOptions, aids: PlanAids = {}): Plan {
  const base = buildSnapshot(input, aids.cache?.snapshots);
  if (!hasReservations(input)) return plan(base, options, aids);
  const machines = new ReservedMachines(base);
  if (machines.offer(0, []).length === 0 && machines.rounds < 2) return plan(base, options, aids);
  return new ReservedPlanning(input, options, aids).plan(machines);
}

/** A plan with the reserved machines that it was offered, of which it uses some. */
interface Filled {
  readonly made: Plan;
  readonly used: readonly ReservedMachine[];
  readonly isAllUsed: boolean;
}

class ReservedPlanning {
  readonly #input: ClusterInput;
  readonly #options: PlanOptions;
  readonly #aids: PlanAids;

  constructor(input: ClusterInput, options: PlanOptions, aids: PlanAids) {
    this.#input = input;
    // Proofs look at what can be bought and at nodes that exist; these machines are neither.
    this.#options = { ...options, duals: false };
    this.#aids = aids;
  }

  /** Offers each reservation to one pool after the other, then plans without what is not used. */
  plan(machines: ReservedMachines): Plan {
    let filled = this.#fill(machines.offer(0, []), true);
    // Another pool could use what the first did not, so that the bound would not be one.
    const lowerBound = machines.rounds === 1 ? filled.made.cost.lowerBound : null;
    for (let round = 1; round < machines.rounds; round++) {
      const offered = machines.offer(round, filled.used);
      if (offered.length > 0) filled = this.#fill([...filled.used, ...offered]);
    }
    for (let settle = 0; settle < MAX_SETTLES && !filled.isAllUsed; settle++)
      filled = this.#fill(filled.used);
    return withReservedClaims(filled.made, { input: this.#input, machines: filled.used, lowerBound });
  }

  #fill(offered: readonly ReservedMachine[], isFirst = false): Filled {
    const { cache, onDraft } = this.#aids;
    const tell = (draft: Plan): void => {
      const outcome = { input: this.#input, machines: usedMachines(draft, offered), lowerBound: null };
      onDraft?.(withReservedClaims(draft, outcome));
    };
    const aids = { cache, onDraft: isFirst && onDraft !== undefined ? tell : undefined };
    const snapshot = this.#snapshot(offered);
    const made = plan(snapshot, this.#options, aids);
    const used = usedMachines(made, offered);
    const isIndifferent = this.#options.defaultSpread.length === 0 && countsNoEmptyNodes(snapshot);
    return { made, used, isAllUsed: used.length === offered.length || isIndifferent };
  }

  #snapshot(offered: readonly ReservedMachine[]): Snapshot {
    const nodes = [...this.#input.nodes, ...offered.map(({ node }) => node)];
    return buildSnapshot({ ...this.#input, nodes }, this.#aids.cache?.snapshots);
  }
}

/** Whether machines that stay empty change nothing: they are no domain that anybody counts, and no limit counts them. */
function countsNoEmptyNodes({ specs, pools }: Snapshot): boolean {
  return (
    specs.every(({ spread }) => spread.length === 0) && pools.every(({ pool }) => pool.limits.size === 0)
  );
}
