/** Plans made by hand for an input: who goes where is said, amounts, prices and order follow from the input. */
import type { CapacityType, InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import type { ResourceList } from '../../../src/domain/values/resources.js';
import type { Plan, PlannedClaim, UnschedulablePod } from '../../../src/planning/plan.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { ZONE_A } from './instance-type.js';
import { labels, type LabelRecord } from './pod.js';

export interface HandMadeClaim {
  readonly name?: string;
  readonly nodePool?: string;
  /** `default/pod` when there is just one pod to place. */
  readonly pods?: readonly string[];
  readonly types?: readonly string[];
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
  readonly chosenLabels?: LabelRecord;
}

export interface HandMadePlan {
  readonly claims?: readonly HandMadeClaim[];
  /** Node name → pods. */
  readonly nodes?: Readonly<Record<string, readonly string[]>>;
  readonly unschedulable?: readonly UnschedulablePod[];
}

/** A claim is `default-<n>`, one on-demand m6i.large in zone a, unless said otherwise. Every DaemonSet runs on it. */
export function handMadePlan(input: ClusterInput, plan: HandMadePlan): Plan {
  const claims = (plan.claims ?? []).map((claim, index) => plannedClaim(input, claim, index));
  const onClaims = claims.flatMap(({ name, pods }) =>
    pods.map((pod) => ({ pod, target: { kind: 'NodeClaim', name } as const })),
  );
  const onNodes = Object.entries(plan.nodes ?? {}).flatMap(([name, pods]) =>
    pods.map((pod) => ({ pod, target: { kind: 'Node', name } as const })),
  );
  return {
    placements: [...onClaims, ...onNodes].sort((left, right) => (left.pod < right.pod ? -1 : 1)),
    claims,
    unschedulable: plan.unschedulable ?? [],
    cost: {
      hourly: claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0),
      lowerBound: null,
      existingHourly: 0,
    },
  };
}

function plannedClaim(input: ClusterInput, claim: HandMadeClaim, index: number): PlannedClaim {
  const nodePool = claim.nodePool ?? 'default';
  const listed = {
    instanceTypes: claim.types ?? ['m6i.large'],
    zones: claim.zones ?? [ZONE_A],
    capacityTypes: claim.capacityTypes ?? (['on-demand'] as const),
  };
  const types = input.pools.find(({ pool }) => pool.name === nodePool)?.instanceTypes ?? [];
  const prices = listedPrices(types, listed);
  const pods = [...(claim.pods ?? ['default/pod'])].sort();
  return {
    name: claim.name ?? `${nodePool}-${String(index + 1)}`,
    nodePool,
    ...listed,
    chosenLabels: labels(claim.chosenLabels),
    pods,
    requests: requestsOf(input, new Set(pods)),
    allocatable: types.find(({ name }) => name === listed.instanceTypes[0])?.allocatable ?? new Map(),
    hourlyPrice: Math.min(...prices),
    hourlyPriceMax: Math.max(...prices),
    estimated: false,
  };
}

function listedPrices(
  types: readonly InstanceType[],
  listed: Pick<PlannedClaim, 'instanceTypes' | 'zones' | 'capacityTypes'>,
): readonly number[] {
  return types
    .filter(({ name }) => listed.instanceTypes.includes(name))
    .flatMap(({ offerings }) => offerings)
    .filter(({ zone }) => listed.zones.includes(zone))
    .filter(({ capacityType }) => listed.capacityTypes.includes(capacityType))
    .map(({ price }) => price);
}

function requestsOf(input: ClusterInput, pods: ReadonlySet<string>): ResourceList {
  const specs = input.pods.filter((pod) => pods.has(podKey(pod))).map(({ spec }) => spec);
  const requests = new Map<string, number>();
  for (const spec of [...specs, ...input.daemonSets.map((daemonSet) => daemonSet.spec)])
    for (const [name, amount] of spec.requests) requests.set(name, (requests.get(name) ?? 0) + amount);
  return requests;
}
