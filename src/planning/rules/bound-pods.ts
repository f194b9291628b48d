/** What runs already: pods hold topology, ports and volumes on their nodes; DaemonSet pods still to come hold ports. */
import type { HeldByPod } from '../model/held-by-pods.js';
import type { Problem } from '../model/problem.js';
import type { Target } from './targets.js';
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
export function enterBoundPods(problem: Problem, into: BoundInto): void {
  for (const each of problem.held) enter(each, into);
  for (const { daemonSet, node } of problem.coming)
    into.targets[node]?.bind(problem.snapshot.daemonSets[daemonSet]?.spec.hostPorts ?? []);
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
