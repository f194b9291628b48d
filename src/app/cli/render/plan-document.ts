/** The plan as the document that `berth plan -o json` and `-o yaml` print: its fields and their order are a contract. */
import { CPU, formatAmount, MEMORY, PODS, type ResourceList } from '../../../domain/resources.js';
import type { Plan, PlannedClaim, Placement, UnschedulablePod } from '../../../planning/plan.js';
import { describeReason } from '../../../planning/reason.js';
import { roundPrice } from './numbers.js';

interface PlacementDocument {
  /** `namespace/name`. */
  readonly pod: string;
  readonly node?: string;
  readonly nodeClaim?: string;
}

interface ClaimDocument {
  readonly name: string;
  readonly nodePool: string;
  readonly instanceTypes: readonly string[];
  readonly zones: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly pods: readonly string[];
  /** Quantities of pods and DaemonSets together; the count of pods is left out. */
  readonly requests: Readonly<Record<string, string>>;
  readonly hourlyPrice: number;
  readonly hourlyPriceMax: number;
}

interface UnschedulableDocument {
  readonly pod: string;
  readonly reasons: readonly { readonly nodePool: string; readonly reason: string }[];
}

export interface PlanDocument {
  readonly placements: readonly PlacementDocument[];
  readonly nodeClaims: readonly ClaimDocument[];
  readonly unschedulable: readonly UnschedulableDocument[];
  readonly cost: {
    readonly hourly: number;
    readonly lowerBound: number | null;
    readonly existingHourly: number;
  };
  /** The only field that two runs over the same input may differ in. */
  readonly solveMillis: number;
}

/** Prices are rounded to six decimals, `solveMillis` to three. */
export function planDocument(plan: Plan, solveMillis: number): PlanDocument {
  const { hourly, lowerBound, existingHourly } = plan.cost;
  return {
    placements: plan.placements.map(placementDocument),
    nodeClaims: plan.claims.map(claimDocument),
    unschedulable: plan.unschedulable.map(unschedulableDocument),
    cost: {
      hourly: roundPrice(hourly),
      lowerBound: lowerBound === null ? null : roundPrice(lowerBound),
      existingHourly: roundPrice(existingHourly),
    },
    solveMillis: Number(solveMillis.toFixed(3)),
  };
}

function placementDocument({ pod, target }: Placement): PlacementDocument {
  return target.kind === 'Node' ? { pod, node: target.name } : { pod, nodeClaim: target.name };
}

function claimDocument(claim: PlannedClaim): ClaimDocument {
  return {
    name: claim.name,
    nodePool: claim.nodePool,
    instanceTypes: claim.instanceTypes,
    zones: claim.zones,
    capacityTypes: claim.capacityTypes,
    pods: claim.pods,
    requests: quantities(claim.requests),
    hourlyPrice: roundPrice(claim.hourlyPrice),
    hourlyPriceMax: roundPrice(claim.hourlyPriceMax),
  };
}

/** cpu and memory always, then what else is asked for, by name. */
function quantities(requests: ResourceList): Readonly<Record<string, string>> {
  const others = [...requests].filter(
    ([name, amount]) => ![CPU, MEMORY, PODS].includes(name) && amount !== 0,
  );
  const names = [CPU, MEMORY, ...others.map(([name]) => name).sort()];
  return Object.fromEntries(names.map((name) => [name, formatAmount(name, requests.get(name) ?? 0)]));
}

function unschedulableDocument({ pod, reasons }: UnschedulablePod): UnschedulableDocument {
  return {
    pod,
    reasons: reasons.map(({ nodePool, reason }) => ({ nodePool, reason: describeReason(reason) })),
  };
}
