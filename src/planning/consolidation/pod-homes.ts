/** Takes the pods that may move off their nodes, so that they can be asked about like pending ones, and remembers their homes. */
import type { Pod } from '../../domain/pods/pod.js';
import { isMovable } from '../../domain/pods/movable-pods.js';
import { buildSnapshot } from '../snapshot/build-snapshot.js';
import type { ClusterInput } from '../snapshot/cluster-input.js';
import type { SnapshotCache } from '../snapshot/snapshot-cache.js';
import type { Snapshot } from '../snapshot/snapshot.js';

export interface PodHomes {
  /** The cluster with these pods pending; what waits for a place already is left out. */
  readonly snapshot: Snapshot;
  /** Pod row of the snapshot → the pod as it runs; undefined for those that live and die with their nodes. */
  readonly pod: readonly (Pod | undefined)[];
  /** Pod row → index of its node in the snapshot, or -1. */
  readonly node: Int32Array;
}

/** Pods that are known from the time before are the same objects again, and cost the snapshot little. */
export class HomeFinder {
  /** A running pod → the same one as if it were pending. */
  readonly #known = new WeakMap<Pod, Pod>();

  find(input: ClusterInput, cache: SnapshotCache): PodHomes {
    const names = new Set(input.nodes.map(({ name }) => name));
    const moving = new Map<string, Pod>();
    const pods: Pod[] = [];
    for (const pod of input.pods) {
      if (pod.nodeName === undefined || !names.has(pod.nodeName)) continue;
      if (!isMovable(pod) || pod.terminating) {
        pods.push(pod);
        continue;
      }
      moving.set(`${pod.namespace}/${pod.name}`, pod);
      pods.push(this.#unbound(pod));
    }
    const snapshot = buildSnapshot({ ...input, pods, gangs: [] }, cache);
    const nodes = new Map(snapshot.nodes.map(({ name }, index) => [name, index]));
    const running = snapshot.pods.keys.map((key) => moving.get(key));
    const node = Int32Array.from(running, (pod) => nodes.get(pod?.nodeName ?? '') ?? -1);
    return { snapshot, pod: running, node };
  }

  #unbound(pod: Pod): Pod {
    const known = this.#known.get(pod);
    if (known !== undefined) return known;
    const made: Pod = { ...pod, nodeName: undefined };
    this.#known.set(pod, made);
    return made;
  }
}
