/** Room that DaemonSets take on nodes: all of it on nodes yet to come, what is still missing on existing ones. */
import type { HostPort } from '../../domain/pod.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { admits, nodeConstraint, type NodeView } from './node-constraint.js';

/** A row of launchables, as far as overhead goes: any of its offerings may be the one launched. */
interface OverheadRow {
  readonly views: readonly NodeView[];
}

/** Subtracts from `net` (rows × R) what DaemonSets will request and adds it to `daemons`. */
export function addDaemonOverhead(
  snapshot: Snapshot,
  rows: readonly OverheadRow[],
  into: { readonly net: Float64Array; readonly daemons: Float64Array },
): void {
  const width = snapshot.resources.length;
  snapshot.daemonSets.forEach((daemonSet, index) => {
    const constraint = nodeConstraint(daemonSet.spec, []);
    rows.forEach(({ views }, row) => {
      if (!views.some((view) => admits(constraint, view))) return;
      for (let resource = 0; resource < width; resource++) {
        const request = snapshot.daemonRequests[index * width + resource] ?? 0;
        into.net[row * width + resource] = (into.net[row * width + resource] ?? 0) - request;
        into.daemons[row * width + resource] = (into.daemons[row * width + resource] ?? 0) + request;
      }
    });
  });
}

/** Free room of every existing node (nodes × R): allocatable less its pods and the DaemonSet pods still to come. */
export function freeRoom(snapshot: Snapshot, views: readonly NodeView[]): Float64Array {
  const width = snapshot.resources.length;
  const free = Float64Array.from(snapshot.nodeAllocatable);
  const subtract = (node: number, requests: Float64Array, row: number): void => {
    for (let resource = 0; resource < width; resource++) {
      free[node * width + resource] =
        (free[node * width + resource] ?? 0) - (requests[row * width + resource] ?? 0);
    }
  };
  const running = new Set<number>();
  const { pods, daemonSets, nodes } = snapshot;
  pods.keys.forEach((_, pod) => {
    const node = pods.node[pod] ?? -1;
    if (node < 0) return;
    subtract(node, snapshot.specRequests, pods.spec[pod] ?? 0);
    const daemonSet = pods.daemonSet[pod] ?? -1;
    if (daemonSet >= 0) running.add(daemonSet * nodes.length + node);
  });
  daemonSets.forEach((daemonSet, index) => {
    const constraint = nodeConstraint(daemonSet.spec, []);
    views.forEach((view, node) => {
      if (!running.has(index * nodes.length + node) && admits(constraint, view))
        subtract(node, snapshot.daemonRequests, index);
    });
  });
  return free;
}

/** Host ports that DaemonSets will bind on a node yet to come. */
export function daemonPorts(snapshot: Snapshot, view: NodeView): readonly HostPort[] {
  const binding = snapshot.daemonSets.filter(({ spec }) => spec.hostPorts.length > 0);
  return binding
    .filter(({ spec }) => admits(nodeConstraint(spec, []), view))
    .flatMap(({ spec }) => spec.hostPorts);
}
