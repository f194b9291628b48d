/** Nodes and CSINodes are two collections of the API, and one object for all other code. */
import type { VolumeLimits } from '../../../apis/kubernetes/nodes/node.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import { isSameMap } from '../../../domain/values/same.js';
import type { ClusterFeed } from '../../../ports/cluster-feed.js';
import type { ReflectorSink } from '../transport/index.js';

/** As decodeCSINode answers it. */
export interface VolumeLimitsOfNode {
  readonly name: string;
  readonly volumeLimits: VolumeLimits;
}

const NO_LIMITS: VolumeLimits = new Map();

/** Puts each node with the limits known at the time, and again when they change. */
export class NodeJoin {
  readonly #feed: ClusterFeed;
  readonly #nodes = new Map<string, ObservedNode>();
  readonly #limits = new Map<string, VolumeLimits>();
  #unsynced: number;

  readonly nodes: ReflectorSink<ObservedNode> = {
    put: (node) => {
      this.#nodes.set(node.name, node);
      this.#put(node);
    },
    delete: (name, uid) => {
      this.#nodes.delete(name);
      this.#feed.delete('Node', name, uid);
    },
    synced: () => {
      this.#listed();
    },
  };

  readonly volumeLimits: ReflectorSink<VolumeLimitsOfNode> = {
    put: ({ name, volumeLimits }) => {
      if (isSameMap(this.#limits.get(name) ?? NO_LIMITS, volumeLimits)) return;
      this.#limits.set(name, volumeLimits);
      this.#putAgain(name);
    },
    delete: (name) => {
      if (this.#limits.delete(name)) this.#putAgain(name);
    },
    synced: () => {
      this.#listed();
    },
  };

  /** `collections` is 1 where CSINodes are not watched: nodes have no limits then. */
  constructor(feed: ClusterFeed, collections: 1 | 2) {
    this.#feed = feed;
    this.#unsynced = collections;
  }

  #put(node: ObservedNode): void {
    this.#feed.put('Node', { ...node, volumeLimits: this.#limits.get(node.name) ?? NO_LIMITS });
  }

  #putAgain(name: string): void {
    const node = this.#nodes.get(name);
    if (node !== undefined) this.#put(node);
  }

  /** Nodes are known once all collections are. */
  #listed(): void {
    this.#unsynced--;
    if (this.#unsynced === 0) this.#feed.synced('Node');
  }
}
