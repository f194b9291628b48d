/**
 * Snapshots of a running cluster without some of its nodes, or with its pods off their nodes, made of the columns of the whole one:
 * nothing is compared again.
 */
import { isMovable } from '../../domain/pods/movable-pods.js';
import type { Node } from '../../domain/nodes/node.js';
import { podKey, type Pod } from '../../domain/pods/pod.js';
import { PODS } from '../../domain/values/resources.js';
import { buildSnapshot } from './build-snapshot.js';
import type { ClusterInput } from './cluster-input.js';
import { isSameSnapshot } from './same-snapshot.js';
import { withUsedSpecs } from './snapshot-parts.js';
import { SnapshotCache } from './snapshot-cache.js';
import type { PodColumns, Snapshot } from './snapshot.js';

/** A cluster whose pods are asked about like pending ones, and where they run. */
export interface PodHomes {
  /** The cluster with these pods pending. */
  readonly snapshot: Snapshot;
  /** Pod row of the snapshot → the pod as it runs; undefined for those that live and die with their nodes. */
  readonly pod: readonly (Pod | undefined)[];
  /** Pod row → index of its node in the snapshot, or -1. */
  readonly node: Int32Array;
}

/** The node with what it carries and without room for more. */
export function closedNode(node: Node): Node {
  return { ...node, allocatable: new Map([...node.allocatable, [PODS, 0]]) };
}

export class SnapshotView {
  readonly #whole: Snapshot;
  /** Row of a pod → the pod, where it moves once its node goes. */
  readonly #movable: readonly (Pod | undefined)[];

  /** Every pod of the input is bound. */
  constructor(input: ClusterInput, cache = new SnapshotCache()) {
    // Every pod that moves needs a place, hence those of gangs need no rule of their own.
    this.#whole = buildSnapshot({ ...input, gangs: [] }, cache);
    const movable = new Map<string, Pod>();
    for (const pod of input.pods) if (isMovable(pod)) movable.set(podKey(pod), pod);
    this.#movable = this.#whole.pods.keys.map((key) => movable.get(key));
  }

  /** Whether every plan without some of the nodes is the same of both. */
  isSame(other: SnapshotView): boolean {
    if (!isSameSnapshot(this.#whole, other.#whole)) return false;
    return this.#movable.every((pod, row) => (pod === undefined) === (other.#movable[row] === undefined));
  }

  /** The cluster with every pod off its node that may move and does not go already. */
  homes(): PodHomes {
    const { pods } = this.#whole;
    const pod = this.#movable.map((each) => (each?.terminating === true ? undefined : each));
    const away = pods.node.map((index, row) => (pod[row] === undefined ? index : -1));
    const node = pods.node.map((index, row) => (pod[row] === undefined ? -1 : index));
    return { snapshot: { ...this.#whole, pods: { ...pods, node: away } }, pod, node };
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
    const [terminating, move] = [new Uint8Array(all), new Uint8Array(all)];
    let count = 0;
    for (let row = 0; row < all; row++) {
      const place = position[pods.node[row] ?? -1] ?? -1;
      if (place < 0 && this.#movable[row] === undefined) continue;
      keys.push(pods.keys[row] ?? '');
      spec[count] = pods.spec[row] ?? 0;
      node[count] = place;
      daemonSet[count] = pods.daemonSet[row] ?? -1;
      if (place >= 0) {
        terminating[count] = pods.terminating[row] ?? 0;
        move[count] = pods.move[row] ?? 0;
      }
      count++;
    }
    return {
      keys,
      isSorted: pods.isSorted,
      spec: spec.subarray(0, count),
      node: node.subarray(0, count),
      daemonSet: daemonSet.subarray(0, count),
      terminating: terminating.subarray(0, count),
      move: move.subarray(0, count),
    };
  }
}
