/** What disruption is asked, for tests: nodes of a pool with their pods, at the second day of 2026. */
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { DEFAULT_ECONOMICS, type Economics } from '../../../src/domain/policies/economics.js';
import type { Disruption } from '../../../src/domain/policies/node-pool.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { PodDisruptionBudget } from '../../../src/domain/pods/pod-disruption-budget.js';
import {
  DEFAULT_DISRUPTION_OPTIONS,
  type DisruptionInput,
  type DisruptionOptions,
  type ManagedNode,
} from '../../../src/planning/disrupt/question/disruption.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { clusterInput } from './cluster-input.js';
import { instanceType, smallCatalogue, ZONE_A } from './instance-type.js';
import { node, type NodeOverrides } from './node.js';
import { poolOffer } from './node-pool.js';
import { observedPod, type ObservedPodOverrides } from './observed-pod.js';

export const NOW = Date.UTC(2026, 0, 2, 12);
export const HOUR = 3_600_000;

/** A node of a pool, with the pods on it and what its life cycle says. */
export interface FleetNode extends Omit<NodeOverrides, 'name'> {
  readonly name: string;
  readonly pods?: readonly ObservedPodOverrides[];
  readonly managed?: Partial<ManagedNode>;
}

/** The part of the small catalogue with this name. */
export function typeNamed(name: string): InstanceType {
  return smallCatalogue().find((type) => type.name === name) ?? instanceType({ name });
}

/** The terms of a pool that disrupts whatever it may, unless said otherwise. */
export function disruptionTerms(overrides: Partial<Disruption> = {}): Disruption {
  return {
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    consolidateAfterSeconds: 0,
    budgets: [{ nodes: { percent: 100 }, reasons: undefined, window: undefined }],
    loadBudgets: [],
    windows: [],
    freezes: [],
    clusterBudgets: [],
    expiration: 'Forceful',
    economics: DEFAULT_ECONOMICS,
    terminateFirst: false,
    driftRollout: undefined,
    mostUnhealthyPercent: 20,
    repairPolicies: [],
    ...overrides,
  };
}

/** The terms of a pool that weighs savings by the defaults, unless said otherwise. */
export function economics(overrides: Partial<Economics>): Pick<Disruption, 'economics'> {
  return { economics: { ...DEFAULT_ECONOMICS, ...overrides } };
}

/** A node that is up, quiet and nobody's business; its price is that of its type. */
export function managedNode(overrides: Partial<ManagedNode> = {}): ManagedNode {
  return {
    name: 'node',
    nodePool: 'default',
    hourlyPrice: 0.096,
    initialized: true,
    ready: true,
    leaving: false,
    createdAt: NOW - 24 * HOUR,
    quietSince: NOW - HOUR,
    doNotDisrupt: undefined,
    doNotRepair: false,
    expiresAt: undefined,
    terminationGracePeriodSeconds: undefined,
    conditions: [],
    emptying: false,
    repair: undefined,
    awaitedPods: [],
    ...overrides,
  };
}

/** What a claim with this condition adds to its node, since an hour ago unless said otherwise. */
export function withClaimCondition(type: string, since = NOW - HOUR): Pick<ManagedNode, 'conditions'> {
  return {
    conditions: [{ type, status: 'True', reason: type, message: '', lastTransitionTime: since }],
  };
}

/** Nodes of the pool `default` over the small catalogue, which disrupts whatever it may. Pods are `<node>-<n>`, of owner web. */
export function fleet(
  nodes: readonly FleetNode[],
  overrides: Partial<DisruptionInput> & { readonly terms?: Partial<Disruption> } = {},
): DisruptionInput {
  const { terms, cluster, ...rest } = overrides;
  const pods = nodes.flatMap(podsOf);
  const built = clusterInput({
    pools: [poolOffer({ disruption: disruptionTerms(terms) })],
    ...cluster,
    nodes: [
      ...nodes.map(({ nodePool = 'default', ...each }) => node({ nodePool, ...each })),
      ...(cluster?.nodes ?? []),
    ],
    pods: [...pods, ...(cluster?.pods ?? [])],
  });
  return {
    cluster: built,
    nodes: nodes.map(managed),
    pods,
    podDisruptionBudgets: [],
    workloads: [],
    frozenPools: new Set(),
    now: NOW,
    cursor: '',
    resting: new Set(),
    ...rest,
  };
}

function podsOf({ name, pods = [] }: FleetNode): readonly ObservedPod[] {
  return pods.map((pod, index) =>
    observedPod({
      owner: { kind: 'ReplicaSet', name: 'web' },
      ...pod,
      name: pod.name ?? `${name}-${String(index)}`,
      nodeName: name,
    }),
  );
}

function managed({
  name,
  type = instanceType(),
  zone = ZONE_A,
  capacityType = 'on-demand',
  ...rest
}: FleetNode): ManagedNode {
  const offering = type.offerings.find((each) => each.zone === zone && each.capacityType === capacityType);
  return managedNode({
    name,
    nodePool: rest.nodePool ?? 'default',
    hourlyPrice: offering?.price,
    ...rest.managed,
  });
}

export function disruptionOptions(overrides: Partial<DisruptionOptions> = {}): DisruptionOptions {
  return { ...DEFAULT_DISRUPTION_OPTIONS, plan: DEFAULT_PLAN_OPTIONS, ...overrides };
}

/** `default/pdb` over the pods of these labels. */
export function podDisruptionBudget(
  overrides: Pick<PodDisruptionBudget, 'selector'> & Partial<PodDisruptionBudget>,
): PodDisruptionBudget {
  return {
    namespace: 'default',
    name: 'pdb',
    minAvailable: undefined,
    maxUnavailable: undefined,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    status: undefined,
    ...overrides,
  };
}
