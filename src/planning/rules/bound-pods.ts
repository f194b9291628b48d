/** What runs already: pods hold topology, ports and volumes on their nodes; DaemonSet pods still to come hold ports. */
import type { HostPort } from '../../domain/pod.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { attachedVolume, type AttachedVolume } from '../snapshot/volume-index.js';
import type { Problem } from '../model/problem.js';
import type { Target } from './targets.js';
import type { TopologyCounts } from './topology-counts.js';
import type { TopologyGroups } from '../model/classes/topology-groups.js';

/** Where the bound pods are entered. */
export interface BoundInto {
  /** Node index → target. */
  readonly targets: readonly Target[];
  readonly counts: TopologyCounts;
  /** ReadWriteOncePod claims in use. */
  readonly exclusive: Set<string>;
}

/** What a bound pod of one spec holds beside room. */
interface Hold {
  readonly memberOf: readonly number[];
  /** Groups that count the pod even while it is being deleted. */
  readonly memberStill: readonly number[];
  readonly repels: readonly number[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly AttachedVolume[];
}

/** Of pods that hold nothing but room, as most do. */
const NOTHING: Hold = { memberOf: [], memberStill: [], repels: [], hostPorts: [], volumes: [] };

/** A bound pod that holds more than room. */
export interface HeldByPod {
  readonly node: number;
  readonly hold: Hold;
  readonly isTerminating: boolean;
}

/** Enters every bound pod; its room is taken off `Problem.nodeFree` already. */
export function enterBoundPods(problem: Problem, into: BoundInto): void {
  for (const each of problem.held) enter(each, into);
  for (const { daemonSet, node } of problem.coming)
    into.targets[node]?.bind(problem.snapshot.daemonSets[daemonSet]?.spec.hostPorts ?? []);
}

/** The bound pods that hold more than room. */
export function heldByPods(snapshot: Snapshot, topology: TopologyGroups): readonly HeldByPod[] {
  const { pods, specs } = snapshot;
  const holds: (Hold | undefined)[] = Array.from(specs, () => undefined);
  const held: HeldByPod[] = [];
  for (let pod = 0; pod < pods.node.length; pod++) {
    const node = pods.node[pod] ?? -1;
    if (node < 0) continue;
    const spec = pods.spec[pod] ?? 0;
    const hold = (holds[spec] ??= holdOf(snapshot, topology, spec));
    if (hold !== NOTHING) held.push({ node, hold, isTerminating: pods.terminating[pod] === 1 });
  }
  return held;
}

function enter({ node, hold, isTerminating }: HeldByPod, { targets, counts, exclusive }: BoundInto): void {
  const target = targets[node];
  if (target === undefined) return;
  const memberOf = isTerminating ? hold.memberStill : hold.memberOf;
  counts.add({ memberOf, repels: hold.repels, spreads: [] }, target, 1);
  target.bind(hold.hostPorts);
  for (const volume of hold.volumes) {
    if (volume.readWriteOncePod) exclusive.add(volume.claim);
    target.attach(volume, 1);
  }
}

function holdOf(snapshot: Snapshot, topology: TopologyGroups, index: number): Hold {
  const spec = snapshot.specs[index];
  const relations = topology.ofSpec[index];
  if (spec === undefined || relations === undefined) return NOTHING;
  const { memberOf, repels } = relations;
  const { hostPorts } = spec;
  if (memberOf.length + repels.length + hostPorts.length + spec.volumes.length === 0) return NOTHING;
  const memberStill = memberOf.filter((group) => topology.groups[group]?.countsTerminating ?? true);
  const volumes = spec.volumes.map((use) => attachedVolume(snapshot.volumes, use));
  return { memberOf, memberStill, repels, hostPorts, volumes };
}
