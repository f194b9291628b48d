/** A node with the pods on it, and what they take. */
import type { Node, StringMap, Taint } from '../../cluster/objects.js';
import { addTo, amountsOf, type Amounts } from './pod-requests.js';
import type { PodInfo } from './pod-info.js';

const NO_LABELS: StringMap = {};

export class NodeInfo {
  readonly name: string;
  #node: Node | undefined;
  #allocatable: Amounts = new Map();
  readonly #used: Amounts = new Map();
  readonly #pods = new Map<string, PodInfo>();

  constructor(name: string) {
    this.name = name;
  }

  /** undefined while only its pods are known. */
  get node(): Node | undefined {
    return this.#node;
  }

  set node(node: Node | undefined) {
    this.#node = node;
    this.#allocatable = amountsOf(node?.status?.allocatable);
  }

  get labels(): StringMap {
    return this.#node?.metadata.labels ?? NO_LABELS;
  }

  get taints(): readonly Taint[] {
    return this.#node?.spec?.taints ?? [];
  }

  get isUnschedulable(): boolean {
    return this.#node?.spec?.unschedulable ?? false;
  }

  get pods(): Iterable<PodInfo> {
    return this.#pods.values();
  }

  get podCount(): number {
    return this.#pods.size;
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  allocatable(resource: string): number {
    return this.#allocatable.get(resource) ?? 0;
  }

  used(resource: string): number {
    return this.#used.get(resource) ?? 0;
  }

  /** Puts a pod on it, in place of an older version. */
  add(pod: PodInfo): void {
    this.remove(pod.uid);
    this.#pods.set(pod.uid, pod);
    addTo(this.#used, pod.requests);
  }

  remove(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    addTo(this.#used, pod.requests, -1);
  }

  /** One of its own, to try out who could go. */
  copy(): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.node = this.#node;
    for (const pod of this.#pods.values()) copy.add(pod);
    return copy;
  }
}
