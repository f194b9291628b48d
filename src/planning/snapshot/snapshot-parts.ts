/** Snapshots with other pods or nodes than a given one, made of its columns: nothing is compared again. */
import type { Node } from '../../domain/nodes/node.js';
import { amounts } from './resource-axis.js';
import type { PodColumns, Snapshot } from './snapshot.js';

/** The snapshot with these rows of its pods only, in this order; pods of gangs are planned one by one in it. */
export function withPodRows(snapshot: Snapshot, rows: readonly number[]): Snapshot {
  const { keys, isSorted, spec, node, daemonSet, terminating } = snapshot.pods;
  const pods: PodColumns = {
    keys: rows.map((row) => keys[row] ?? ''),
    isSorted: isSorted && rows.every((row, index) => index === 0 || row > (rows[index - 1] ?? -1)),
    spec: Int32Array.from(rows, (row) => spec[row] ?? -1),
    node: Int32Array.from(rows, (row) => node[row] ?? -1),
    daemonSet: Int32Array.from(rows, (row) => daemonSet[row] ?? -1),
    terminating: Uint8Array.from(rows, (row) => terminating[row] ?? 0),
  };
  return { ...snapshot, ...withUsedSpecs(snapshot, pods), gangs: [] };
}

/** Only the specs that these pods have: rules of pods that are gone must not count. */
export function withUsedSpecs(
  { specs, specRequests, resources }: Snapshot,
  pods: PodColumns,
): Pick<Snapshot, 'specs' | 'specRequests' | 'pods'> {
  const width = resources.length;
  const used = [...new Set(pods.spec)].sort((left, right) => left - right);
  if (used.length === specs.length) return { specs, specRequests, pods };
  const requests = new Float64Array(used.length * width);
  const position = new Int32Array(specs.length).fill(-1);
  used.forEach((spec, place) => {
    requests.set(specRequests.subarray(spec * width, (spec + 1) * width), place * width);
    position[spec] = place;
  });
  return {
    specs: used.flatMap((spec) => specs[spec] ?? []),
    specRequests: requests,
    pods: { ...pods, spec: pods.spec.map((spec) => position[spec] ?? -1) },
  };
}

/** The snapshot with more nodes, whose names come after those of all that it has. */
export function withNodes(snapshot: Snapshot, more: readonly Node[]): Snapshot {
  if (more.length === 0) return snapshot;
  const { resources, nodes, nodeAllocatable } = snapshot;
  const added = amounts(
    resources,
    more.map(({ allocatable }) => allocatable),
  );
  const all = new Float64Array(nodeAllocatable.length + added.length);
  all.set(nodeAllocatable);
  all.set(added, nodeAllocatable.length);
  return { ...snapshot, nodes: [...nodes, ...more], nodeAllocatable: all };
}
