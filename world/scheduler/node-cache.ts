/** Nodes with their pods as the scheduler believes them to be: what it saw, and what it has decided since. */
import type { ObjectEvent, ClusterApi } from '../cluster/cluster-api.js';
import type { Pod } from '../cluster/objects.js';
import type { ClaimAllocation } from '../devices/objects.js';
import type { AllocatedClaim } from './filters/device-filter.js';
import type { Facts } from './filters/node-check.js';
import { NodeInfo } from './filters/node-info.js';
import { podInfo, type PodInfo } from './filters/pod-info.js';

export class NodeCache {
  readonly #api: ClusterApi;
  readonly #nodes = new Map<string, NodeInfo>();
  /** uid → where the pod is, or is assumed to be. */
  readonly #places = new Map<string, { readonly info: PodInfo; readonly nodeName: string }>();
  readonly #assumed = new Set<string>();
  readonly #claimUses = new Map<string, number>();
  readonly #allocating = new Map<string, ClaimAllocation>();
  #antiAffine = 0;
  #list: readonly NodeInfo[] | undefined;

  constructor(api: ClusterApi) {
    this.#api = api;
  }

  observeNode({ type, object }: ObjectEvent): void {
    const { name } = object.metadata;
    const info = this.#nodeInfo(name);
    info.node = type === 'DELETED' ? undefined : object;
    if (type !== 'MODIFIED') this.#list = undefined;
    if (type === 'DELETED' && info.podCount === 0) this.#nodes.delete(name);
  }

  /** Pods that have ended take nothing. */
  observePod({ type, object }: ObjectEvent): void {
    const pod = object as Pod;
    const { uid } = pod.metadata;
    const { nodeName = '' } = pod.spec;
    const hasEnded = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    if (type === 'DELETED' || hasEnded) this.#remove(uid);
    else if (nodeName !== '') this.#place(podInfo(pod), nodeName);
  }

  /** Counts the pod on the node until it is seen there, or forgotten. */
  assume(info: PodInfo, nodeName: string): void {
    this.#place(info, nodeName);
    this.#assumed.add(info.uid);
  }

  /** Devices count as in use from here on; answers what ends that. */
  allocate(claims: readonly AllocatedClaim[]): () => void {
    for (const { claim, allocation } of claims) this.#allocating.set(claim.metadata.uid, allocation);
    return () => {
      for (const { claim } of claims) this.#allocating.delete(claim.metadata.uid);
    };
  }

  forget(uid: string): void {
    if (this.#assumed.has(uid)) this.#remove(uid);
  }

  isPlaced(uid: string): boolean {
    return this.#places.has(uid);
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : info;
  }

  facts(): Facts {
    this.#list ??= [...this.#nodes.values()].filter(({ node }) => node !== undefined);
    return {
      nodes: this.#list,
      hasAntiAffinity: this.#antiAffine > 0,
      get: (resource, ref) => this.#api.get(resource, ref),
      list: (resource) => this.#api.list(resource),
      usesOf: (claimKey) => this.#claimUses.get(claimKey) ?? 0,
      allocating: this.#allocating,
    };
  }

  #place(info: PodInfo, nodeName: string): void {
    this.#remove(info.uid);
    this.#places.set(info.uid, { info, nodeName });
    this.#nodeInfo(nodeName).add(info);
    this.#count(info, 1);
  }

  #remove(uid: string): void {
    this.#assumed.delete(uid);
    const place = this.#places.get(uid);
    if (place === undefined) return;
    this.#places.delete(uid);
    this.#count(place.info, -1);
    const node = this.#nodes.get(place.nodeName);
    node?.remove(uid);
    if (node?.node === undefined && node?.podCount === 0) this.#nodes.delete(place.nodeName);
  }

  #count({ antiAffinity, claimNames, namespace }: PodInfo, sign: 1 | -1): void {
    if (antiAffinity.length > 0) this.#antiAffine += sign;
    for (const name of claimNames) {
      const key = `${namespace}/${name}`;
      this.#claimUses.set(key, (this.#claimUses.get(key) ?? 0) + sign);
    }
  }

  #nodeInfo(name: string): NodeInfo {
    const info = this.#nodes.get(name) ?? new NodeInfo(name);
    this.#nodes.set(name, info);
    return info;
  }
}
