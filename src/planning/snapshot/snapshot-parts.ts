/** Snapshots with other pods or nodes than a given one, made of its columns: nothing is compared again. */
import type { Node } from '../../domain/nodes/node.js';
import type { PodColumns, Snapshot } from './snapshot.js';
import { roomRows } from './volume-slots.js';

/** The snapshot with these rows of its pods only, in this order; pods of gangs are planned one by one in it. */
export function withPodRows(snapshot: Snapshot, rows: readonly number[]): Snapshot {
  const { keys, isSorted, spec, node, daemonSet, terminating, move } = snapshot.pods;
  const pods: PodColumns = {
    keys: rows.map((row) => keys[row] ?? ''),
    isSorted: isSorted && rows.every((row, index) => index === 0 || row > (rows[index - 1] ?? -1)),
    spec: Int32Array.from(rows, (row) => spec[row] ?? -1),
    node: Int32Array.from(rows, (row) => node[row] ?? -1),
    daemonSet: Int32Array.from(rows, (row) => daemonSet[row] ?? -1),
    terminating: Uint8Array.from(rows, (row) => terminating[row] ?? 0),
    move: Uint8Array.from(rows, (row) => move[row] ?? 0),
  };
  return { ...snapshot, ...withUsedSpecs(snapshot, pods), gangs: [] };
}

/** Less than the difference of two priorities, which are whole numbers. */
const BEFORE_OTHERS = 0.5;

/** The snapshot in which the pods of these rows come before others of their priority. */
export function withFirst(snapshot: Snapshot, rows: readonly number[]): Snapshot {
  const { specs, specRequests, pods, resources } = snapshot;
  const raised = [...new Set(rows.map((row) => pods.spec[row] ?? -1))];
  const spec = pods.spec.slice();
  for (const row of rows) spec[row] = specs.length + raised.indexOf(pods.spec[row] ?? -1);
  const width = resources.length;
  const requests = new Float64Array((specs.length + raised.length) * width);
  requests.set(specRequests);
  raised.forEach((from, index) => {
    const own = specRequests.subarray(from * width, (from + 1) * width);
    requests.set(own, (specs.length + index) * width);
  });
  const more = raised.flatMap((from) => {
    const own = specs[from];
    return own === undefined ? [] : [{ ...own, priority: own.priority + BEFORE_OTHERS }];
  });
  return { ...snapshot, specs: [...specs, ...more], specRequests: requests, pods: { ...pods, spec } };
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
  const added = roomRows(resources, more);
  const all = new Float64Array(nodeAllocatable.length + added.length);
  all.set(nodeAllocatable);
  all.set(added, nodeAllocatable.length);
  return { ...snapshot, nodes: [...nodes, ...more], nodeAllocatable: all };
}
