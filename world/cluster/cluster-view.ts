/** Pods by node and by owner, kept up to date: what actors ask again and again. */
import type { ClusterApi } from './cluster-api.js';
import { keyOf } from './cluster-api.js';
import type { Pod } from './objects.js';

type Group = Map<string, Pod>;
const NONE: readonly Pod[] = [];

export class ClusterView {
  readonly #pods = new Map<string, Pod>();
  readonly #byNode = new Map<string, Group>();
  readonly #byOwner = new Map<string, Group>();
  readonly #byNamespace = new Map<string, Group>();

  /** Begins to follow; answers what ends it. A watch of pods that begins later finds the view ahead of the events that it receives. */
  follow(api: ClusterApi): () => void {
    return api.watch('pods', ({ type, object }) => {
      const pod = object as Pod;
      this.#remove(keyOf(pod));
      if (type !== 'DELETED') this.#add(pod);
    });
  }

  pods(): Iterable<Pod> {
    return this.#pods.values();
  }

  onNode(nodeName: string): readonly Pod[] {
    return membersOf(this.#byNode, nodeName);
  }

  inNamespace(namespace: string): readonly Pod[] {
    return membersOf(this.#byNamespace, namespace);
  }

  /** Pods whose controller has this uid. */
  ownedBy(uid: string): readonly Pod[] {
    return membersOf(this.#byOwner, uid);
  }

  #add(pod: Pod): void {
    const key = keyOf(pod);
    this.#pods.set(key, pod);
    for (const [index, name] of this.#indexesOf(pod)) {
      const group = index.get(name) ?? new Map<string, Pod>();
      index.set(name, group.set(key, pod));
    }
  }

  #remove(key: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    this.#pods.delete(key);
    for (const [index, name] of this.#indexesOf(pod)) {
      const group = index.get(name);
      group?.delete(key);
      if (group?.size === 0) index.delete(name);
    }
  }

  #indexesOf({ metadata, spec }: Pod): (readonly [Map<string, Group>, string])[] {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    const { nodeName = '' } = spec;
    return [
      [this.#byNamespace, metadata.namespace ?? ''] as const,
      ...(owner === undefined ? [] : [[this.#byOwner, owner.uid] as const]),
      ...(nodeName === '' ? [] : [[this.#byNode, nodeName] as const]),
    ];
  }
}

function membersOf(index: ReadonlyMap<string, Group>, name: string): readonly Pod[] {
  const group = index.get(name);
  return group === undefined ? NONE : [...group.values()];
}
