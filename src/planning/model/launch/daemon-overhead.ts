/** Room that DaemonSets take on nodes: all of it on nodes yet to come, what is still missing on existing ones. */
import { takenPort, type HostPort } from '../../../domain/pods/pod.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import type { Admission } from '../constraints/admission.js';
import { admits, nodeConstraint, type NodeView } from '../constraints/node-constraint.js';

/** A row of launchables, as far as overhead goes: the same DaemonSets run on all its offerings. */
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
      const [view] = views;
      if (view === undefined || !admits(constraint, view)) return;
      for (let resource = 0; resource < width; resource++) {
        const request = snapshot.daemonRequests[index * width + resource] ?? 0;
        into.net[row * width + resource] = (into.net[row * width + resource] ?? 0) - request;
        into.daemons[row * width + resource] = (into.daemons[row * width + resource] ?? 0) + request;
      }
    });
  });
}

/** A DaemonSet pod that will come to an existing node. */
export interface ComingDaemon {
  /** Index into `Snapshot.daemonSets`. */
  readonly daemonSet: number;
  /** Index into `Snapshot.nodes`. */
  readonly node: number;
}

/** DaemonSet pods that existing nodes should have and do not have yet. */
export function comingDaemons(
  { pods, daemonSets, nodes }: Snapshot,
  admission: Admission,
): readonly ComingDaemon[] {
  const running = new Set<number>();
  pods.daemonSet.forEach((daemonSet, pod) => {
    const node = pods.node[pod] ?? -1;
    if (daemonSet >= 0 && node >= 0) running.add(daemonSet * nodes.length + node);
  });
  return daemonSets.flatMap(({ spec }, daemonSet) => {
    const constraint = nodeConstraint(spec, []);
    const missing: ComingDaemon[] = [];
    for (let node = 0; node < nodes.length; node++) {
      if (!running.has(daemonSet * nodes.length + node) && admission.node(constraint, node))
        missing.push({ daemonSet, node });
    }
    return missing;
  });
}

/** Free room of every existing node (nodes × R): allocatable less its pods and the DaemonSet pods still to come. */
export function freeRoom(snapshot: Snapshot, coming: readonly ComingDaemon[]): Float64Array {
  const { pods, resources, nodeAllocatable, specRequests, daemonRequests } = snapshot;
  const width = resources.length;
  const free = Float64Array.from(nodeAllocatable);
  const subtract = (node: number, requests: Float64Array, row: number): void => {
    for (let resource = 0; resource < width; resource++)
      free[node * width + resource] =
        (free[node * width + resource] ?? 0) - (requests[row * width + resource] ?? 0);
  };
  for (let pod = 0; pod < pods.node.length; pod++) {
    const node = pods.node[pod] ?? -1;
    if (node >= 0) subtract(node, specRequests, pods.spec[pod] ?? 0);
  }
  for (const { daemonSet, node } of coming) subtract(node, daemonRequests, daemonSet);
  return free;
}

/** Host ports that DaemonSets will bind on nodes yet to come, per column. */
export class DaemonPorts {
  readonly #binding: readonly { readonly ports: readonly HostPort[]; readonly admitted: Uint8Array }[];

  constructor({ daemonSets }: Snapshot, admission: Admission) {
    const withPorts = daemonSets.filter(({ spec }) => spec.hostPorts.length > 0);
    this.#binding = withPorts.map(({ spec }) => ({
      ports: spec.hostPorts,
      admitted: admission.columns(nodeConstraint(spec, [])),
    }));
  }

  /** Whether none of the ports is taken on a node of this column. */
  leaveFree(ports: readonly HostPort[], column: number): boolean {
    return ports.length === 0 || takenPort(ports, this.at(column)) === undefined;
  }

  /** Ports taken on a node of this column before any pod is placed. */
  at(column: number): readonly HostPort[] {
    return this.#binding.flatMap(({ ports, admitted }) => (admitted[column] === 1 ? ports : []));
  }
}
