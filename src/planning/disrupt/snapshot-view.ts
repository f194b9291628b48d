/** Snapshots of a cluster without some of its nodes, made of the columns of the whole one: nothing is compared again. */
import { podKey, type Pod } from '../../domain/pods/pod.js';
import { PODS } from '../../domain/values/resources.js';
import { buildSnapshot } from '../snapshot/build-snapshot.js';
import type { ClusterInput } from '../snapshot/cluster-input.js';
import { withUsedSpecs } from '../snapshot/snapshot-parts.js';
import { SnapshotCache } from '../snapshot/snapshot-cache.js';
import type { PodColumns, Snapshot } from '../snapshot/snapshot.js';
import { closedNode } from './closed-node.js';
import { isMovable } from '../../domain/pods/movable-pods.js';

export class SnapshotView {
  readonly #whole: Snapshot;
  /** Row of a pod → 1 when it moves once its node goes. */
  readonly #movable: Uint8Array;

  /** Every pod of the input is bound. */
  constructor(input: ClusterInput, cache = new SnapshotCache()) {
    // Every pod that moves needs a place, hence those of gangs need no rule of their own.
    this.#whole = buildSnapshot({ ...input, gangs: [] }, cache);
    const byKey = new Map<string, Pod>(input.pods.map((pod) => [podKey(pod), pod]));
    this.#movable = Uint8Array.from(this.#whole.pods.keys, (key) => {
      const pod = byKey.get(key);
      return pod !== undefined && isMovable(pod) ? 1 : 0;
    });
  }

  /** The movable pods of removed nodes ask for a place, their others are gone; closed nodes take no more pods. */
  without(removed: ReadonlySet<string>, closed: ReadonlySet<string>): Snapshot {
    const { nodes, nodeAllocatable, resources } = this.#whole;
    const width = resources.length;
    const kept = nodes.flatMap(({ name }, index) => (removed.has(name) ? [] : [index]));
    const allocatable = new Float64Array(kept.length * width);
    const left = kept.flatMap((index, position) => {
      allocatable.set(nodeAllocatable.subarray(index * width, (index + 1) * width), position * width);
      const node = nodes[index];
      if (node === undefined || !closed.has(node.name)) return node ?? [];
      allocatable[position * width + resources.indexOf(PODS)] = 0;
      return [closedNode(node)];
    });
    const pods = this.#podsWithout(kept);
    return { ...this.#whole, ...withUsedSpecs(this.#whole, pods), nodes: left, nodeAllocatable: allocatable };
  }

  #podsWithout(kept: readonly number[]): PodColumns {
    const { pods, nodes } = this.#whole;
    const position = new Int32Array(nodes.length).fill(-1);
    kept.forEach((index, place) => {
      position[index] = place;
    });
    const all = pods.keys.length;
    const keys: string[] = [];
    const [spec, node, daemonSet] = [new Int32Array(all), new Int32Array(all), new Int32Array(all)];
    const terminating = new Uint8Array(all);
    let count = 0;
    for (let row = 0; row < all; row++) {
      const place = position[pods.node[row] ?? -1] ?? -1;
      if (place < 0 && this.#movable[row] !== 1) continue;
      keys.push(pods.keys[row] ?? '');
      spec[count] = pods.spec[row] ?? 0;
      node[count] = place;
      daemonSet[count] = pods.daemonSet[row] ?? -1;
      terminating[count] = place < 0 ? 0 : (pods.terminating[row] ?? 0);
      count++;
    }
    return {
      keys,
      isSorted: pods.isSorted,
      spec: spec.subarray(0, count),
      node: node.subarray(0, count),
      daemonSet: daemonSet.subarray(0, count),
      terminating: terminating.subarray(0, count),
    };
  }
}
