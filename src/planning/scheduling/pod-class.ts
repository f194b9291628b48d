/** Equivalence classes: pending pods that ask the same question, however they are named and labelled. */
import type { HostPort } from '../../domain/pod.js';
import type { PlanOptions } from '../plan-options.js';
import type { Reason } from '../reason.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { volumeDemand, type VolumeDemand } from '../snapshot/volume-index.js';
import { termKey } from '../snapshot/spec-key.js';
import { compileAsks, type AffinityRule, type Ask, type SpreadRule } from './ask.js';
import { nodeConstraint, type NodeConstraint } from './node-constraint.js';
import type { SpecTopology, TopologyGroup, TopologyGroups } from './topology-groups.js';

export interface PodClass {
  readonly index: number;
  /** Index of one of its specs; all of them ask the same. */
  readonly spec: number;
  /** Pod rows of the snapshot, ascending. */
  readonly pods: readonly number[];
  readonly priority: number;
  /** R amounts. */
  readonly requests: Float64Array;
  /** Strictest first; empty when `blocked`. */
  readonly asks: readonly Ask[];
  /** Groups that count these pods. */
  readonly memberOf: readonly number[];
  /** Groups of its own required anti-affinity: members stay away from its domains. */
  readonly repels: readonly number[];
  /** Groups of its own DoNotSchedule spread. */
  readonly spreads: readonly number[];
  /** Anti-affinity of others that counts these pods. */
  readonly repelledBy: readonly AffinityRule[];
  /** Spread rules of others that count these pods. */
  readonly courtesies: readonly SpreadRule[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly VolumeDemand[];
  /** Why these pods cannot be placed anywhere, whatever is launched. */
  readonly blocked: Reason | undefined;
}

interface Draft {
  readonly spec: number;
  readonly topology: SpecTopology;
  readonly volumes: readonly VolumeDemand[];
  readonly blocked: Reason | undefined;
  readonly pods: number[];
}

/** Groups the pending pods of the snapshot into classes, in an order that depends on their contents only. */
export function compileClasses(
  snapshot: Snapshot,
  topology: TopologyGroups,
  options: PlanOptions,
): readonly PodClass[] {
  const others = othersRules(topology);
  const hasSoftTaints = someSoftTaint(snapshot);
  const drafts = new Map<string, Draft>();
  pendingPodsOfSpecs(snapshot).forEach((pods, spec) => {
    if (pods.length > 0) draftOf(snapshot, topology, spec, drafts).pods.push(...pods);
  });
  return [...drafts.values()].map((draft, index) =>
    finish(draft, index, { snapshot, topology, options, others, hasSoftTaints }),
  );
}

/** Spec → its pending pods; specs are in the order of their contents, so the names of pods do not show. */
function pendingPodsOfSpecs({ specs, pods }: Snapshot): readonly (readonly number[])[] {
  const result: number[][] = specs.map(() => []);
  pods.spec.forEach((spec, pod) => {
    if (pods.node[pod] === -1) result[spec]?.push(pod);
  });
  return result;
}

function someSoftTaint({ nodes, pools }: Snapshot): boolean {
  const taints = [
    ...nodes.flatMap((node) => node.taints),
    ...pools.flatMap(({ pool }) => pool.template.taints),
  ];
  return taints.some(({ effect }) => effect === 'PreferNoSchedule');
}

function draftOf(
  snapshot: Snapshot,
  topology: TopologyGroups,
  spec: number,
  drafts: Map<string, Draft>,
): Draft {
  const own = topology.ofSpec[spec] ?? NO_TOPOLOGY;
  const uses = snapshot.specs[spec]?.volumes ?? [];
  const volumes: VolumeDemand[] = [];
  let blocked: Reason | undefined = snapshot.specs[spec]?.hasResourceClaims
    ? { code: 'DynamicResources' }
    : undefined;
  for (const use of uses) {
    const demand = volumeDemand(snapshot.volumes, use);
    if ('code' in demand) blocked ??= demand;
    else volumes.push(demand);
  }
  const draft: Draft = { spec, topology: own, volumes, blocked, pods: [] };
  const key = classKey(snapshot, draft);
  const known = drafts.get(key);
  if (known !== undefined) return known;
  drafts.set(key, draft);
  return draft;
}

const NO_TOPOLOGY: SpecTopology = { spread: [], affinity: [], antiAffinity: [], repels: [], memberOf: [] };

function classKey(snapshot: Snapshot, { spec, topology, volumes, blocked }: Draft): string {
  const value = snapshot.specs[spec];
  if (value === undefined) return '';
  return JSON.stringify([
    [...value.requests].sort(),
    nodeConstraint(value, []).key,
    value.nodeAffinity.preferred.map(({ weight, term }) => [weight, termKey(term)]),
    topology.spread.map(({ group, constraint }) => [
      group,
      constraint.maxSkew,
      constraint.minDomains,
      constraint.whenUnsatisfiable,
    ]),
    topology.affinity.map(({ group, weight }) => [group, weight]),
    topology.antiAffinity.map(({ group, weight }) => [group, weight]),
    topology.repels,
    topology.memberOf,
    value.hostPorts,
    volumes.map(({ claim, driver, terms, zones, readWriteOncePod, shared }) => [
      readWriteOncePod || shared ? claim : '',
      driver,
      terms?.map(termKey),
      zones?.map(termKey),
    ]),
    value.priority,
    blocked,
  ]);
}

interface Others {
  /** Groups that some spec's required anti-affinity uses. */
  readonly anti: ReadonlySet<number>;
  /** Group → least maxSkew of the DoNotSchedule constraints that use it. */
  readonly spread: ReadonlyMap<number, number>;
}

function othersRules({ ofSpec }: TopologyGroups): Others {
  const anti = new Set<number>();
  const spread = new Map<number, number>();
  for (const topology of ofSpec) {
    for (const group of topology.repels) anti.add(group);
    for (const { group, constraint } of topology.spread) {
      if (constraint.whenUnsatisfiable === 'DoNotSchedule') {
        spread.set(group, Math.min(constraint.maxSkew, spread.get(group) ?? Infinity));
      }
    }
  }
  return { anti, spread };
}

interface Context {
  readonly snapshot: Snapshot;
  readonly topology: TopologyGroups;
  readonly options: PlanOptions;
  readonly others: Others;
  readonly hasSoftTaints: boolean;
}

function finish(draft: Draft, index: number, context: Context): PodClass {
  const {
    snapshot,
    topology: { groups },
    others,
    options,
    hasSoftTaints,
  } = context;
  const { spec, topology, volumes, blocked, pods } = draft;
  const width = snapshot.resources.length;
  const value = snapshot.specs[spec];
  const volumeTerms = volumes.flatMap(({ terms, zones }) =>
    [terms, zones].filter((group) => group !== undefined),
  );
  const asks =
    blocked !== undefined || value === undefined
      ? []
      : compileAsks({ spec: value, topology, groups, volumeTerms, options, hasSoftTaints });
  const spreads = topology.spread
    .filter(({ constraint }) => constraint.whenUnsatisfiable === 'DoNotSchedule')
    .map(({ group }) => group);
  const members = topology.memberOf.flatMap((group) => groups[group] ?? []);
  return {
    index,
    spec,
    pods: pods.sort((left, right) => left - right),
    priority: value?.priority ?? 0,
    requests: snapshot.specRequests.subarray(spec * width, (spec + 1) * width),
    asks,
    memberOf: topology.memberOf,
    repels: topology.repels,
    spreads,
    repelledBy: members.filter((group) => others.anti.has(group.index)).map(repelled),
    courtesies: members
      .filter((group) => others.spread.has(group.index) && !spreads.includes(group.index))
      .map((group) => courtesy(group, others.spread.get(group.index) ?? Infinity, asks.at(-1)?.constraint)),
    hostPorts: value?.hostPorts ?? [],
    volumes,
    blocked,
  };
}

function repelled(group: TopologyGroup): AffinityRule {
  return { group, reason: { code: 'PodAntiAffinity', key: group.topologyKey } };
}

/** A pod that can only go to some domains is not asked to wait for the others. */
function courtesy(group: TopologyGroup, maxSkew: number, reach: NodeConstraint | undefined): SpreadRule {
  return {
    group,
    maxSkew,
    minDomains: 1,
    self: 1,
    launchable: undefined,
    reach,
    reason: { code: 'TopologySpread', key: group.topologyKey, maxSkew },
  };
}
