/**
 * Plans of clusters whose pools may launch into capacity reservations. What these still have is filled before anything is
 * bought, as nodes are that exist: it is paid. Instance by instance, so that no reservation is used more often than it can be.
 */
import { reservationLabels } from '../../domain/nodes/instance-type.js';
import { addResources, NO_RESOURCES, type ResourceList } from '../../domain/values/resources.js';
import { admits, nodeConstraint } from '../model/constraints/node-constraint.js';
import type { Plan, PlannedClaim, Placement } from '../plan.js';
import type { PlanOptions } from '../plan-options.js';
import { withNodes } from '../snapshot/snapshot-parts.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { ReservedMachines, type ReservedMachine } from './reserved-machines.js';

/** How a snapshot without reserved capacity is planned. */
export type PlanBought = (snapshot: Snapshot, options: PlanOptions, onDraft?: (draft: Plan) => void) => Plan;

/** How often unused machines are left out and the rest is planned again. */
const MAX_SETTLES = 3;

/** Whether some pool may launch into a capacity reservation. */
export function hasReservations({ pools }: Pick<Snapshot, 'pools'>): boolean {
  return pools.some(({ instanceTypes }) =>
    instanceTypes?.some(({ offerings }) => offerings.some(({ reservation }) => reservation !== undefined)),
  );
}

/** The plan of a snapshot with its reserved capacity, by way of plans in which reserved machines are nodes that exist. */
export function planReserved(
  snapshot: Snapshot,
  options: PlanOptions,
  planBought: PlanBought,
  onDraft?: (draft: Plan) => void,
): Plan {
  if (!hasReservations(snapshot)) return planBought(snapshot, options, onDraft);
  const machines = new ReservedMachines(snapshot);
  if (machines.offer(0, []).length === 0 && machines.rounds < 2)
    return planBought(snapshot, options, onDraft);
  return new ReservedPlanning(snapshot, options, planBought).plan(machines, onDraft);
}

/** A plan with the reserved machines that it was offered, of which it uses some. */
interface Filled {
  readonly made: Plan;
  readonly used: readonly ReservedMachine[];
  readonly isAllUsed: boolean;
}

class ReservedPlanning {
  readonly #snapshot: Snapshot;
  readonly #options: PlanOptions;
  readonly #planBought: PlanBought;
  readonly #isIndifferent: boolean;

  constructor(snapshot: Snapshot, options: PlanOptions, planBought: PlanBought) {
    this.#snapshot = snapshot;
    // Proofs look at what can be bought and at nodes that exist; these machines are neither.
    this.#options = { ...options, duals: false };
    this.#planBought = planBought;
    this.#isIndifferent = options.defaultSpread.length === 0 && countsNoEmptyNodes(snapshot);
  }

  /** Offers each reservation to one pool after the other, then plans without what is not used. */
  plan(machines: ReservedMachines, onDraft: ((draft: Plan) => void) | undefined): Plan {
    let filled = this.#fill(machines.offer(0, []), onDraft);
    // Another pool could use what the first did not, so that the bound would not be one.
    const lowerBound = machines.rounds === 1 ? filled.made.cost.lowerBound : null;
    for (let round = 1; round < machines.rounds; round++) {
      const offered = machines.offer(round, filled.used);
      if (offered.length > 0) filled = this.#fill([...filled.used, ...offered]);
    }
    for (let settle = 0; settle < MAX_SETTLES && !filled.isAllUsed; settle++)
      filled = this.#fill(filled.used);
    return withReservedClaims(filled.made, { snapshot: this.#snapshot, machines: filled.used, lowerBound });
  }

  #fill(offered: readonly ReservedMachine[], onDraft?: (draft: Plan) => void): Filled {
    const tell = (draft: Plan): void => {
      const machines = usedMachines(draft, offered);
      onDraft?.(withReservedClaims(draft, { snapshot: this.#snapshot, machines, lowerBound: null }));
    };
    const snapshot = withNodes(
      this.#snapshot,
      offered.map(({ node }) => node),
    );
    const made = this.#planBought(snapshot, this.#options, onDraft && tell);
    const used = usedMachines(made, offered);
    return { made, used, isAllUsed: used.length === offered.length || this.#isIndifferent };
  }
}

/** Whether machines that stay empty change nothing: no spread counts their domains, and no limit counts them. */
function countsNoEmptyNodes({ specs, pools }: Snapshot): boolean {
  return (
    specs.every(({ spread }) => spread.length === 0) && pools.every(({ pool }) => pool.limits.size === 0)
  );
}

/** Machines on which the plan placed something. */
function usedMachines(
  { placements }: Plan,
  machines: readonly ReservedMachine[],
): readonly ReservedMachine[] {
  const used = new Set(placements.flatMap(({ target }) => (target.kind === 'Node' ? [target.name] : [])));
  return machines.filter(({ node }) => used.has(node.name));
}

/** Every machine becomes a claim that can be nothing else; `lowerBound` is one of the whole. */
function withReservedClaims(plan: Plan, { snapshot, machines, lowerBound }: ReservedOutcome): Plan {
  const podsOf = new Map<string, string[]>(machines.map(({ node }) => [node.name, []]));
  for (const { pod, target } of plan.placements)
    if (target.kind === 'Node') podsOf.get(target.name)?.push(pod);
  const requests = requestsOf(snapshot);
  const names = new ClaimNames(plan);
  const claims = machines.map((machine): PlannedClaim => {
    const pods = podsOf.get(machine.node.name) ?? [];
    return {
      ...claimOf(machine),
      name: names.next(machine),
      pods,
      requests: pods.reduce(
        (sum, pod) => addResources(sum, requests.get(pod) ?? NO_RESOURCES),
        daemonsOn(machine, snapshot),
      ),
    };
  });
  const price = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  const hourly = plan.cost.hourly + price;
  const isBounded = plan.cost.lowerBound !== null && lowerBound !== null;
  return {
    ...plan,
    placements: plan.placements.map((placement) => names.renamed(placement)),
    claims: [...plan.claims, ...claims],
    // The machines were taken for nodes that exist.
    cost: {
      hourly,
      lowerBound: isBounded ? Math.min(hourly, lowerBound) : null,
      existingHourly: Math.max(0, plan.cost.existingHourly - price),
    },
  };
}

interface ReservedOutcome {
  readonly snapshot: Snapshot;
  /** Those that the plan uses. */
  readonly machines: readonly ReservedMachine[];
  /** USD/h; null when there is none. */
  readonly lowerBound: number | null;
}

/** Claims are numbered per pool, behind those that the plan has. */
class ClaimNames {
  readonly #numbers = new Map<string, number>();
  readonly #ofNode = new Map<string, string>();

  constructor({ claims }: Plan) {
    for (const { nodePool } of claims) this.#number(nodePool);
  }

  next({ node, template }: ReservedMachine): string {
    const nodePool = template.offer.pool.name;
    const name = `${nodePool}-${String(this.#number(nodePool))}`;
    this.#ofNode.set(node.name, name);
    return name;
  }

  renamed(placement: Placement): Placement {
    const name = placement.target.kind === 'Node' ? this.#ofNode.get(placement.target.name) : undefined;
    return name === undefined ? placement : { ...placement, target: { kind: 'NodeClaim', name } };
  }

  #number(nodePool: string): number {
    const number = (this.#numbers.get(nodePool) ?? 0) + 1;
    this.#numbers.set(nodePool, number);
    return number;
  }
}

function claimOf(machine: ReservedMachine): Omit<PlannedClaim, 'name' | 'pods' | 'requests'> {
  const { template, type, offering, reservation } = machine;
  return {
    nodePool: template.offer.pool.name,
    instanceTypes: [type.name],
    zones: [offering.zone],
    capacityTypes: [offering.capacityType],
    chosenLabels: new Map([...template.chosen, ...reservationLabels(reservation)]),
    allocatable: type.allocatable,
    hourlyPrice: offering.price,
    hourlyPriceMax: offering.price,
    estimated: offering.estimated,
  };
}

/** Pending pods by key. */
function requestsOf({ pods, specs }: Snapshot): ReadonlyMap<string, ResourceList> {
  const requests = new Map<string, ResourceList>();
  pods.keys.forEach((key, row) => {
    if (pods.node[row] === -1) requests.set(key, specs[pods.spec[row] ?? -1]?.requests ?? NO_RESOURCES);
  });
  return requests;
}

/** What the DaemonSets that will run there request. */
function daemonsOn({ node }: ReservedMachine, { daemonSets }: Snapshot): ResourceList {
  const view = { labels: node.labels, fields: NO_FIELDS, taints: node.taints, features: undefined };
  return daemonSets
    .filter(({ spec }) => admits(nodeConstraint(spec, []), view))
    .reduce((sum, { spec }) => addResources(sum, spec.requests), NO_RESOURCES);
}

/** Its name is not known yet. */
const NO_FIELDS: ReadonlyMap<string, string> = new Map();
