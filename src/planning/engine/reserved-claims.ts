/** A plan that filled reserved machines as nodes, told with claims for them. */
import { reservationLabels } from '../../domain/instance-type.js';
import { podKey } from '../../domain/pod.js';
import { addResources, NO_RESOURCES, type ResourceList } from '../../domain/resources.js';
import type { Plan, PlannedClaim, Placement } from '../plan.js';
import { admits, nodeConstraint } from '../model/constraints/node-constraint.js';
import type { ClusterInput } from '../snapshot/cluster-input.js';
import type { ReservedMachine } from './reserved-machines.js';

/** Machines on which the plan placed something. */
export function usedMachines(
  { placements }: Plan,
  machines: readonly ReservedMachine[],
): readonly ReservedMachine[] {
  const used = new Set(placements.flatMap(({ target }) => (target.kind === 'Node' ? [target.name] : [])));
  return machines.filter(({ node }) => used.has(node.name));
}

/** Every machine becomes a claim that can be nothing else; `lowerBound` is one of the whole. */
export function withReservedClaims(plan: Plan, { input, machines, lowerBound }: ReservedOutcome): Plan {
  const podsOf = new Map<string, string[]>(machines.map(({ node }) => [node.name, []]));
  for (const { pod, target } of plan.placements)
    if (target.kind === 'Node') podsOf.get(target.name)?.push(pod);
  const requests = new Map(input.pods.map((pod) => [podKey(pod), pod.spec.requests]));
  const names = new ClaimNames(plan);
  const claims = machines.map((machine): PlannedClaim => {
    const pods = podsOf.get(machine.node.name) ?? [];
    return {
      ...claimOf(machine),
      name: names.next(machine),
      pods,
      requests: pods.reduce(
        (sum, pod) => addResources(sum, requests.get(pod) ?? NO_RESOURCES),
        daemonsOn(machine, input),
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
  readonly input: ClusterInput;
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

/** What the DaemonSets that will run there request. */
function daemonsOn({ node }: ReservedMachine, { daemonSets }: ClusterInput): ResourceList {
  const view = { labels: node.labels, fields: NO_FIELDS, taints: node.taints, features: undefined };
  return daemonSets
    .filter(({ spec }) => admits(nodeConstraint(spec, []), view))
    .reduce((sum, { spec }) => addResources(sum, spec.requests), NO_RESOURCES);
}

/** Its name is not known yet. */
const NO_FIELDS: ReadonlyMap<string, string> = new Map();
