/** The plan as the document that `berth plan -o json` and `-o yaml` print: its fields and their order are a contract. */
import { CPU, formatAmount, MEMORY, PODS, type ResourceList } from '../../../../domain/values/resources.js';
import type {
  ClaimWhy,
  Placement,
  Plan,
  PlanDuals,
  PlannedClaim,
  UnschedulablePod,
} from '../../../../planning/plan.js';
import { describePoolReason } from '../../../../planning/describe-reason.js';
import { roundPrice } from '../text/numbers.js';

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
  /** Only with `--explain`. */
  readonly why?: WhyDocument;
}

interface WhyDocument {
  /** Types of the pool that hold the claim's pods. */
  readonly holding: number;
  /** The most expensive type that is cheaper and too small, with quantities of what it lacks. */
  readonly cheaper?: {
    readonly instanceType: string;
    readonly hourlyPrice: number;
    readonly short: Readonly<Record<string, string>>;
  };
  /** The cheapest node of another pool that would hold them. */
  readonly alternative?: {
    readonly nodePool: string;
    readonly instanceType: string;
    readonly zone: string;
    readonly capacityType: string;
    readonly hourlyPrice: number;
  };
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
    /** Only where NodeOverlays change prices: what `hourly` is at list prices. */
    readonly listHourly?: number;
    /** Only with `--duals`. */
    readonly duals?: DualsDocument;
  };
  /** The only field that two runs over the same input may differ in. */
  readonly solveMillis: number;
}

/** Prices are rounded to six decimals, `solveMillis` to three. */
export function planDocument(plan: Plan, solveMillis: number, listHourly?: number): PlanDocument {
  const { hourly, lowerBound, existingHourly, duals } = plan.cost;
  return {
    placements: plan.placements.map(placementDocument),
    nodeClaims: plan.claims.map(claimDocument),
    unschedulable: plan.unschedulable.map(unschedulableDocument),
    cost: {
      hourly: roundPrice(hourly),
      lowerBound: lowerBound === null ? null : roundPrice(lowerBound),
      existingHourly: roundPrice(existingHourly),
      ...(listHourly === undefined ? {} : { listHourly: roundPrice(listHourly) }),
      ...(duals === undefined ? {} : { duals: dualsDocument(duals) }),
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
    ...(claim.why === undefined ? {} : { why: whyDocument(claim.why) }),
  };
}

function whyDocument({ holding, cheaper, alternative }: ClaimWhy): WhyDocument {
  return {
    holding,
    ...(cheaper && {
      cheaper: {
        instanceType: cheaper.instanceType,
        hourlyPrice: roundPrice(cheaper.hourlyPrice),
        short: Object.fromEntries(
          [...cheaper.short].map(([name, amount]) => [name, formatAmount(name, amount)]),
        ),
      },
    }),
    ...(alternative && {
      alternative: { ...alternative, hourlyPrice: roundPrice(alternative.hourlyPrice) },
    }),
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
    reasons: reasons.map((each) => ({ nodePool: each.nodePool, reason: describePoolReason(each) })),
  };
}

/** As `PlanDuals`, in Kubernetes' units: nothing is rounded, since the proof would not hold. */
export interface DualsDocument {
  /** USD/h per core, per byte, per piece of an extended resource; `pods`: per pod. What is not listed is free. */
  readonly prices: readonly Readonly<Record<string, number>>[];
  /** Zone (`*`: any other) → index into `prices`. In a zone that is not named the pods are worth nothing. */
  readonly pods: readonly {
    readonly zones: Readonly<Record<string, number>>;
    readonly pods: readonly string[];
  }[];
  /** Pods of which one instance holds `perNode` at most: each is worth `price` USD/h more. */
  readonly slot?: { readonly perNode: number; readonly price: number; readonly pods: readonly string[] };
}

/** Millicores per core: CPU is counted in these inside. */
const MILLI = 1000;

function dualsDocument({ prices, pods, slot }: PlanDuals): DualsDocument {
  return {
    prices: prices.map((list) =>
      Object.fromEntries([...list].map(([name, price]) => [name, name === CPU ? price * MILLI : price])),
    ),
    pods: pods.map((list) => ({ zones: Object.fromEntries(list.zones), pods: list.pods })),
    ...(slot && { slot: { perNode: slot.perNode, price: slot.price, pods: slot.pods } }),
  };
}
