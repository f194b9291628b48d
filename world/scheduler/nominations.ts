/** Pending pods and the nodes that they are nominated to: room on those is kept from less important pods. */
import type { Pod } from '../cluster/objects.js';
import type { NodeInfo } from './filters/node-info.js';
import { podInfo, type PodInfo } from './filters/pod-info.js';

export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodes = new Map<string, string>();

  observe(pod: Pod): void {
    const { uid } = pod.metadata;
    this.forget(uid);
    const { nominatedNodeName = '' } = pod.status ?? {};
    if (nominatedNodeName === '') return;
    const pods = this.#byNode.get(nominatedNodeName) ?? new Map<string, PodInfo>();
    this.#byNode.set(nominatedNodeName, pods.set(uid, podInfo(pod)));
    this.#nodes.set(uid, nominatedNodeName);
  }

  forget(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  /** The node with the pods that go before this one on it; undefined when there are none. */
  withBetter(node: NodeInfo, pod: PodInfo): NodeInfo | undefined {
    const better = [...(this.#byNode.get(node.name)?.values() ?? [])].filter(
      ({ uid, priority }) => uid !== pod.uid && priority >= pod.priority && !node.has(uid),
    );
    if (better.length === 0) return undefined;
    const copy = node.copy();
    for (const other of better) copy.add(other);
    return copy;
  }
}
