/** What runs already: pods hold topology, ports and volumes on their nodes; DaemonSet pods still to come hold ports. */
import { attachedVolume } from '../snapshot/volume-index.js';
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
    const { memberOf, repels } = relations;
    into.counts.add({ memberOf: memberOf.filter(isCounted), repels, spreads: [] }, target, 1);
    target.hostPorts.push(...(specs[spec]?.hostPorts ?? []));
    for (const use of specs[spec]?.volumes ?? []) {
      const volume = attachedVolume(snapshot.volumes, use);
      if (volume.readWriteOncePod) into.exclusive.add(volume.claim);
      attach(target, volume, 1);
    }
  });
  for (const { daemonSet, node } of coming) {
    into.targets[node]?.hostPorts.push(...(daemonSets[daemonSet]?.spec.hostPorts ?? []));
  }
}
