/** What happens to the nodes and pods of a cluster, as seen from outside, and when. */
import { follow } from '../../controlplane/fixture/api/follow.js';
import { NODES, PODS, type Node, type Pod } from '../../controlplane/fixture/api/kube-object.js';
import type { ControlPlane } from '../../controlplane/fixture/control-plane.js';
import { FACT } from './pool.js';

const DISRUPTED = 'karpenter.sh/disrupted';

/** Moments are seconds since the sight began. */
export interface SeenNode {
  /** As it was last. */
  object: Node;
  readonly createdAt: number;
  /** Since when it has the taint of disrupted nodes; undefined while it has not. */
  disruptedAt: number | undefined;
  goneAt: number | undefined;
}

export interface SeenPod {
  object: Pod;
  readonly createdAt: number;
  /** Since when it is being deleted, or gone. */
  deletedAt: number | undefined;
  goneAt: number | undefined;
}

export class Sight {
  readonly #nodes = new Map<string, SeenNode>();
  readonly #pods = new Map<string, SeenPod>();
  readonly #startedAt = performance.now();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;

  constructor({ api }: ControlPlane) {
    const { signal } = this.#end;
    this.#following = Promise.all([
      follow(api, NODES, {
        signal,
        changed: (object) => {
          this.#nodeChanged(object);
        },
        deleted: ({ metadata }) => {
          const node = this.#nodes.get(metadata.uid);
          if (node !== undefined) node.goneAt = this.now();
        },
      }),
      follow(api, PODS, {
        signal,
        changed: (object) => {
          const { uid, deletionTimestamp } = object.metadata;
          const pod = this.#pods.get(uid) ?? {
            ...{ object, createdAt: this.now(), deletedAt: undefined, goneAt: undefined },
          };
          this.#pods.set(uid, pod);
          pod.object = object;
          if (deletionTimestamp !== undefined) pod.deletedAt ??= this.now();
        },
        deleted: ({ metadata }) => {
          const pod = this.#pods.get(metadata.uid);
          if (pod === undefined) return;
          pod.goneAt = this.now();
          pod.deletedAt ??= pod.goneAt;
        },
      }),
    ]);
  }

  now(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Of a fact, the oldest first; gone ones too. */
  nodes(fact: string): readonly SeenNode[] {
    return [...this.#nodes.values()].filter(({ object }) => object.metadata.labels?.[FACT] === fact);
  }

  pods(fact: string): readonly SeenPod[] {
    return [...this.#pods.values()].filter(({ object }) => object.metadata.labels?.[FACT] === fact);
  }

  /** From when to when a node was on its way out; both are infinite where it never was. */
  span(name: string): { readonly from: number; readonly to: number } {
    const node = [...this.#nodes.values()].find(({ object }) => object.metadata.name === name);
    if (node?.goneAt === undefined && node?.disruptedAt === undefined)
      return { from: Infinity, to: -Infinity };
    return { from: node.disruptedAt ?? node.goneAt ?? Infinity, to: node.goneAt ?? Infinity };
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }

  #nodeChanged(object: Node): void {
    const { uid } = object.metadata;
    const node = this.#nodes.get(uid) ?? {
      ...{ object, createdAt: this.now(), disruptedAt: undefined, goneAt: undefined },
    };
    this.#nodes.set(uid, node);
    node.object = object;
    const isDisrupted = object.spec.taints?.some(({ key }) => key === DISRUPTED) === true;
    if (!isDisrupted) node.disruptedAt = undefined;
    else node.disruptedAt ??= this.now();
  }
}
