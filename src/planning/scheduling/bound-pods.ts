/** What runs already: pods hold topology, ports and volumes on their nodes; DaemonSet pods still to come hold ports. */
import { volumeDemand } from '../snapshot/volume-index.js';
import type { Problem } from './problem.js';
import { attach, type Target } from './targets.js';
import type { TopologyCounts } from './topology-counts.js';

/** Where the bound pods are entered. */
export interface BoundInto {
  /** Node index → target. */
  readonly targets: readonly Target[];
  readonly counts: TopologyCounts;
  /** ReadWriteOncePod claims in use. */
  readonly exclusive: Set<string>;
}

/** Enters every bound pod; its room is taken off `Problem.nodeFree` already. */
export function enterBoundPods({ snapshot, topology, coming }: Problem, into: BoundInto): void {
  const { pods, specs, daemonSets } = snapshot;
  pods.node.forEach((node, pod) => {
    const target = into.targets[node];
    const spec = pods.spec[pod] ?? 0;
    const relations = topology.ofSpec[spec];
    if (target === undefined || relations === undefined) return;
    const isCounted = (group: number): boolean =>
      pods.terminating[pod] === 0 || (topology.groups[group]?.countsTerminating ?? true);
    const repels = relations.antiAffinity.filter(({ weight }) => weight === 0).map(({ group }) => group);
    into.counts.add({ memberOf: relations.memberOf.filter(isCounted), repels, spreads: [] }, target, 1);
    target.hostPorts.push(...(specs[spec]?.hostPorts ?? []));
    for (const use of specs[spec]?.volumes ?? []) {
      const demand = volumeDemand(snapshot.volumes, use);
      if ('code' in demand) continue;
      if (demand.readWriteOncePod) into.exclusive.add(demand.claim);
      attach(target, demand, 1);
    }
  });
  for (const { daemonSet, node } of coming) {
    into.targets[node]?.hostPorts.push(...(daemonSets[daemonSet]?.spec.hostPorts ?? []));
  }
}
