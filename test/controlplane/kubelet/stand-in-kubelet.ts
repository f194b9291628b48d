/**
 * Stands in for the kubelets of a cluster: Nodes appear when a test says so, and the pods bound to them run, end and go as a
 * kubelet would have them. Nothing is left to chance: every delay and every failure is an option.
 *
 * It is not the world's kubelet (world/kubelet), though both write the same conditions and pod statuses (nodeConditions, podStatus
 * are the world's). That one is the kubelet of an EC2 instance: its Node follows from the catalogue and from the user data that
 * it was launched with, its delays come from the world's seed, and it looks at the simulated API in process, where reads answer at
 * once (ClusterApi). The suites here need Nodes of any shape without an instance, named by the test, that fail on command, over
 * HTTP against an API server that answers late. One class for both would take either side's instances, times and reads
 * through an adapter, which is more than the five hundred lines of this folder.
 */
import type { ApiClient } from '../fixture/api/api-client.js';
import { ApiError } from '../fixture/api/api-error.js';
import { follow } from '../fixture/api/follow.js';
import { NODES, PODS, type Pod } from '../fixture/api/kube-object.js';
import type { StandInNodeOptions } from './node-options.js';
import type { PodBehaviour } from './pod-behaviour.js';
import { StandInNode } from './stand-in-node.js';

export interface StandInKubeletOptions {
  /** One that may do everything. */
  readonly api: ApiClient;
  /** What the nodes report; `v1.36.0`. */
  readonly kubeletVersion?: string;
  /** Between two renewals of a node's Lease; 10 000, as a kubelet's. */
  readonly leaseMillis?: number;
  /** Between two heartbeats in a node's status when nothing changes; 300 000, as a kubelet's. */
  readonly statusMillis?: number;
  /** Asked once for each pod, when it is first seen on a ready node. By default it runs at once and for ever. */
  readonly podBehaviour?: (pod: Pod) => PodBehaviour;
}

export class StandInKubelet {
  readonly #options: StandInKubeletOptions;
  readonly #nodes = new Map<string, StandInNode>();
  /** Bound pods by node name and uid, for nodes that come later. */
  readonly #pods = new Map<string, Map<string, Pod>>();
  readonly #errors: unknown[] = [];
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;
  #instances = 0;
  #podIPs = 0;

  constructor(options: StandInKubeletOptions) {
    this.#options = options;
    this.#following = Promise.all([this.#followPods(), this.#followNodes()]).catch((error: unknown) => {
      this.#note(error);
    });
  }

  /** Turns an instance on; its Node appears after its boot delay. Throws when an instance of this name runs. */
  addNode(node: StandInNodeOptions): void {
    if (this.#nodes.has(node.name)) throw new Error(`Node '${node.name}' is running already`);
    const { api, kubeletVersion, leaseMillis, statusMillis, podBehaviour } = this.#options;
    const instance = new StandInNode({
      node,
      identity: { internalIP: address(10, this.#instances++), kubeletVersion: kubeletVersion ?? 'v1.36.0' },
      api,
      leaseMillis: leaseMillis ?? 10_000,
      statusMillis: statusMillis ?? 300_000,
      podBehaviour: podBehaviour ?? (() => ({})),
      nextPodIP: () => address(100, this.#podIPs++),
      onError: (error) => {
        this.#note(error);
      },
    });
    this.#nodes.set(node.name, instance);
    for (const pod of this.#pods.get(node.name)?.values() ?? []) instance.observePod(pod);
    instance.boot();
  }

  /** The instance is gone; its Node and pods stay in the API until somebody deletes them. */
  async terminate(name: string): Promise<void> {
    const instance = this.#instance(name);
    this.#nodes.delete(name);
    await instance.stop();
  }

  /** The instance is gone, and its Node is deleted. */
  async removeNode(name: string): Promise<void> {
    await this.terminate(name);
    await this.#options.api.delete(NODES, { name });
  }

  /** Has the node report itself Ready or not; its heartbeats go on. */
  setReady(name: string, isReady: boolean): Promise<void> {
    return this.#instance(name).setReady(isReady);
  }

  /** The node's heartbeats stop and its pods are left alone, until `resume`. */
  silence(name: string): void {
    this.#instance(name).silence();
  }

  /** The instance was silent, and is up again with this boot ID. */
  bootAgain(name: string, bootID: string): Promise<void> {
    return this.#instance(name).bootAgain(bootID);
  }

  resume(name: string): Promise<void> {
    return this.#instance(name).resume();
  }

  /** Ends all instances; throws what went wrong while they ran. Objects that vanished under a request are no error. */
  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all([this.#following, ...[...this.#nodes.values()].map((instance) => instance.stop())]);
    this.#nodes.clear();
    if (this.#errors.length > 0) throw new AggregateError(this.#errors, 'The stand-in kubelet met errors');
  }

  #instance(name: string): StandInNode {
    const instance = this.#nodes.get(name);
    if (instance === undefined) throw new Error(`There is no node '${name}'`);
    return instance;
  }

  #followPods(): Promise<void> {
    return follow(this.#options.api, PODS, {
      selection: { fieldSelector: 'spec.nodeName!=' },
      signal: this.#end.signal,
      changed: (pod) => {
        const nodeName = pod.spec.nodeName ?? '';
        const pods = this.#pods.get(nodeName) ?? new Map<string, Pod>();
        this.#pods.set(nodeName, pods.set(pod.metadata.uid, pod));
        this.#nodes.get(nodeName)?.observePod(pod);
      },
      deleted: (pod) => {
        const nodeName = pod.spec.nodeName ?? '';
        this.#pods.get(nodeName)?.delete(pod.metadata.uid);
        void this.#nodes.get(nodeName)?.forgetPod(pod);
      },
    });
  }

  /** A node whose object is deleted is over: a kubelet does not register again by itself. */
  #followNodes(): Promise<void> {
    return follow(this.#options.api, NODES, {
      signal: this.#end.signal,
      changed: () => undefined,
      deleted: ({ metadata: { name, uid } }) => {
        const instance = this.#nodes.get(name);
        if (instance?.uid !== uid) return;
        this.#nodes.delete(name);
        void instance.stop();
      },
    });
  }

  #note(error: unknown): void {
    const isRace = error instanceof ApiError && (error.code === 404 || error.code === 409);
    if (!isRace && !this.#end.signal.aborted) this.#errors.push(error);
  }
}

/** The nth address of 10.x or 100.x; deterministic, and of no network that exists. */
function address(first: number, index: number): string {
  return `${String(first)}.${String((index >> 16) + 64)}.${String((index >> 8) & 255)}.${String(index & 255)}`;
}
