/**
 * Plans of clusters whose pools may launch into capacity reservations. What these have left is filled before anything is
 * bought, as existing nodes are, since it is paid for. Each instance is a node of its own, so that no reservation is exceeded.
 */
import { reservationLabels } from '../../domain/nodes/instance-type.js';
import { addResources, NO_RESOURCES, type ResourceList } from '../../domain/values/resources.js';
import { admits, nodeConstraint } from '../model/constraints/node-constraint.js';
import type { Plan, PlannedClaim, Placement } from '../plan.js';
import type { PlanOptions } from '../plan-options.js';
import { allTypesOffered } from '../snapshot/cluster-input.js';
import { withNodes } from '../snapshot/snapshot-parts.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { ReservedCapacity, type ReservedNode } from './reserved-capacity.js';

/** How a snapshot without reserved capacity is planned. */
export type PlanBought = (snapshot: Snapshot, options: PlanOptions, onDraft?: (draft: Plan) => void) => Plan;

/** How often unused nodes are left out and the rest is planned again. */
const MAX_SETTLES = 3;

/** Whether some pool may launch into a capacity reservation. */
export function hasReservations({ pools }: Pick<Snapshot, 'pools'>): boolean {
  return pools.some((offer) =>
    allTypesOffered(offer).some(({ offerings }) =>
      offerings.some(({ reservation }) => reservation !== undefined),
    ),
  );
}

/** The plan of a snapshot with its reserved capacity, through plans that take reserved nodes for existing ones. */
export function planReserved(
  snapshot: Snapshot,
  options: PlanOptions,
  planBought: PlanBought,
  onDraft?: (draft: Plan) => void,
): Plan {
  if (!hasReservations(snapshot)) return planBought(snapshot, options, onDraft);
  const capacity = new ReservedCapacity(snapshot);
  if (capacity.offer(0, []).length === 0 && capacity.rounds < 2)
    return planBought(snapshot, options, onDraft);
  return new ReservedPlanning(snapshot, options, planBought).plan(capacity, onDraft);
}

/** A plan that was offered reserved nodes, and uses some of them. */
interface Filled {
  readonly made: Plan;
  readonly used: readonly ReservedNode[];
  readonly isAllUsed: boolean;
}

class ReservedPlanning {
  readonly #snapshot: Snapshot;
  readonly #options: PlanOptions;
  readonly #planBought: PlanBought;
  readonly #isIndifferent: boolean;

  constructor(snapshot: Snapshot, options: PlanOptions, planBought: PlanBought) {
    this.#snapshot = snapshot;
    // Proofs cover offerings and existing nodes; reserved nodes are neither.
    this.#options = { ...options, duals: false };
    this.#planBought = planBought;
    this.#isIndifferent = countsNoEmptyNodes(snapshot);
  }

  /** Offers each reservation to one pool after the other, then plans without what is not used. */
  plan(capacity: ReservedCapacity, onDraft: ((draft: Plan) => void) | undefined): Plan {
    let filled = this.#fill(capacity.offer(0, []), onDraft);
    // Another pool could use what the first did not, so that the bound would not be one.
    const lowerBound = capacity.rounds === 1 ? filled.made.cost.lowerBound : null;
    for (let round = 1; round < capacity.rounds; round++) {
      const offered = capacity.offer(round, filled.used);
      if (offered.length > 0) filled = this.#fill([...filled.used, ...offered]);
    }
    for (let settle = 0; settle < MAX_SETTLES && !filled.isAllUsed; settle++)
      filled = this.#fill(filled.used);
    return withReservedClaims(filled.made, { snapshot: this.#snapshot, nodes: filled.used, lowerBound });
  }

  #fill(offered: readonly ReservedNode[], onDraft?: (draft: Plan) => void): Filled {
    const tell = (draft: Plan): void => {
      const nodes = usedNodes(draft, offered);
      onDraft?.(withReservedClaims(draft, { snapshot: this.#snapshot, nodes, lowerBound: null }));
    };
    const snapshot = withNodes(
      this.#snapshot,
      offered.map(({ node }) => node),
    );
    const made = this.#planBought(snapshot, this.#options, onDraft && tell);
    const used = usedNodes(made, offered);
    return { made, used, isAllUsed: used.length === offered.length || this.#isIndifferent };
  }
}

/** Whether nodes that stay empty change nothing: no spread counts their domains, and no limit counts them. */
function countsNoEmptyNodes({ specs, pools }: Snapshot): boolean {
  return (
    specs.every(({ spread }) => spread.length === 0) && pools.every(({ pool }) => pool.limits.size === 0)
  );
}

/** Those on which the plan placed something. */
function usedNodes({ placements }: Plan, nodes: readonly ReservedNode[]): readonly ReservedNode[] {
  const used = new Set(placements.flatMap(({ target }) => (target.kind === 'Node' ? [target.name] : [])));
  return nodes.filter(({ node }) => used.has(node.name));
}

/** Every reserved node becomes a claim for just its offering; `lowerBound` is that of the whole plan. */
function withReservedClaims(plan: Plan, { snapshot, nodes, lowerBound }: ReservedOutcome): Plan {
  const podsOf = new Map<string, string[]>(nodes.map(({ node }) => [node.name, []]));
  for (const { pod, target } of plan.placements)
    if (target.kind === 'Node') podsOf.get(target.name)?.push(pod);
  const requests = requestsOf(snapshot);
  const names = new ClaimNames(plan);
  const claims = nodes.map((reserved): PlannedClaim => {
    const pods = podsOf.get(reserved.node.name) ?? [];
    return {
      ...claimOf(reserved),
      name: names.next(reserved),
      pods,
      requests: pods.reduce(
        (sum, pod) => addResources(sum, requests.get(pod) ?? NO_RESOURCES),
        daemonsOn(reserved, snapshot),
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
    // The reserved nodes were taken for existing ones.
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
  readonly nodes: readonly ReservedNode[];
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

  next({ node, template }: ReservedNode): string {
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

function claimOf(reserved: ReservedNode): Omit<PlannedClaim, 'name' | 'pods' | 'requests'> {
  const { template, type, offering, reservation } = reserved;
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
function daemonsOn({ node }: ReservedNode, { daemonSets }: Snapshot): ResourceList {
  const view = { labels: node.labels, fields: NO_FIELDS, taints: node.taints, features: undefined };
  return daemonSets
    .filter(({ spec }) => admits(nodeConstraint(spec, []), view))
    .reduce((sum, { spec }) => addResources(sum, spec.requests), NO_RESOURCES);
}

/** Its name is not known yet. */
const NO_FIELDS: ReadonlyMap<string, string> = new Map();
