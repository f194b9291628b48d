/** A point of a consolidation curve as a plan, so that the plan checker can judge it: amounts and prices come from the input. */
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { podKey, type Pod } from '../../src/domain/pods/pod.js';
import type { ResourceList } from '../../src/domain/values/resources.js';
import type { ConsolidationPoint, NewNode } from '../../src/planning/disrupt/curve/consolidation-question.js';
import type { Plan, PlannedClaim } from '../../src/planning/plan.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';

/** @param input with the pods that move pending. */
export function curvePlan(input: ClusterInput, { moved, newNodes }: ConsolidationPoint): Plan {
  const pods = new Map(input.pods.map((pod) => [podKey(pod), pod]));
  const claims = newNodes.map((newNode, index) =>
    claimOf(input, pods, { newNode, name: newNodeName(index) }),
  );
  const placements = [
    ...moved.map(({ pod, node: name }) => ({ pod, target: { kind: 'Node', name } as const })),
    ...claims.flatMap((claim) =>
      claim.pods.map((pod) => ({ pod, target: { kind: 'NodeClaim', name: claim.name } as const })),
    ),
  ].sort((one, other) => (one.pod < other.pod ? -1 : 1));
  const hourly = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  return { placements, claims, unschedulable: [], cost: { hourly, lowerBound: null, existingHourly: 0 } };
}

export function newNodeName(index: number): string {
  return `launched-${String(index)}`;
}

interface Named {
  readonly newNode: NewNode;
  readonly name: string;
}

function claimOf(
  { pools, daemonSets }: ClusterInput,
  known: ReadonlyMap<string, Pod>,
  { newNode, name }: Named,
): PlannedClaim {
  const { nodePool, instanceType, zone, capacityType, chosenLabels } = newNode;
  const types = pools.find(({ pool }) => pool.name === nodePool)?.instanceTypes ?? [];
  const type = types.find((each) => each.name === instanceType);
  const price = offeredPrice(type, newNode);
  const specs = newNode.pods.flatMap((key) => known.get(key)?.spec ?? []);
  return {
    ...{ name, nodePool, chosenLabels, pods: [...newNode.pods].sort() },
    ...{ instanceTypes: [instanceType], zones: [zone], capacityTypes: [capacityType] },
    requests: sumOf([...specs, ...daemonSets.map(({ spec }) => spec)]),
    allocatable: type?.allocatable ?? new Map(),
    ...{ hourlyPrice: price, hourlyPriceMax: price, estimated: false },
  };
}

/** USD/h; NaN where the type is not offered so, and no sum with it is right. */
export function offeredPrice(
  type: InstanceType | undefined,
  { zone, capacityType }: { readonly zone: string; readonly capacityType: string },
): number {
  const offered = type?.offerings.find((each) => each.zone === zone && each.capacityType === capacityType);
  return offered?.price ?? Number.NaN;
}

function sumOf(specs: readonly { readonly requests: ResourceList }[]): ResourceList {
  const sum = new Map<string, number>();
  for (const { requests } of specs)
    for (const [name, amount] of requests) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
}
