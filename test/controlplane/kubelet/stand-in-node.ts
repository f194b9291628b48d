/** One instance: boots, registers its Node, sends heartbeats, runs the pods that are bound to it, and may fail. */
import type { ApiClient } from '../fixture/api/api-client.js';
import { ApiError } from '../fixture/api/api-error.js';
import { LEASES, NODES, PODS, RESOURCE_SLICES, type Node, type Pod } from '../fixture/api/kube-object.js';
import { nodeManifest, type Conditions, type NodeIdentity, type StandInNodeOptions } from './node-options.js';
import type { Pod as SimulatedPod } from '../../../world/cluster/objects.js';
import { sliceOf } from '../../../world/devices/device-driver.js';
import { GrantedRequests, RESIZE_PENDING, resizedStatus } from '../../../world/kubelet/granted-requests.js';
import { nodeConditions } from '../../../world/kubelet/node-object.js';
import type { PodBehaviour } from './pod-behaviour.js';
import { PodRunner } from './pod-runner.js';
import { Tasks } from './tasks.js';

/** The namespace of node heartbeats, which every API server makes. */
const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;

export interface InstanceOptions {
  readonly node: StandInNodeOptions;
  readonly identity: NodeIdentity;
  readonly api: ApiClient;
  readonly leaseMillis: number;
  readonly statusMillis: number;
  readonly podBehaviour: (pod: Pod) => PodBehaviour;
  readonly nextPodIP: () => string;
  readonly onError: (error: unknown) => void;
}

export class StandInNode {
  readonly #options: InstanceOptions;
  readonly #tasks: Tasks;
  readonly #granted: GrantedRequests;
  /** Pods bound to this node, by uid, whether they are being run or not. */
  readonly #pods = new Map<string, Pod>();
  readonly #runners = new Map<string, PodRunner>();
  #node: Node | undefined;
  #isReady = false;
  #readySince = Date.now();
  #registeredAt = Date.now();
  #isSilent = false;

  constructor(options: InstanceOptions) {
    this.#options = options;
    const { capacity, allocatable } = options.node;
    this.#granted = new GrantedRequests(() => ({ ...capacity, ...allocatable }));
    this.#tasks = new Tasks(options.onError);
  }

  /** Of the Node that it registered. */
  get uid(): string | undefined {
    return this.#node?.metadata.uid;
  }

  boot(): void {
    const { bootMillis = 0, failure } = this.#options.node;
    if (failure !== 'never-registers') this.#tasks.after(bootMillis, () => this.#register());
  }

  /** A pod bound here, new or changed. */
  observePod(pod: Pod): void {
    this.#pods.set(pod.metadata.uid, pod);
    this.#handle(pod);
  }

  async forgetPod(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    this.#pods.delete(uid);
    this.#granted.forget(pod as SimulatedPod);
    for (const other of this.#pods.values()) if (this.#runners.has(other.metadata.uid)) this.#resize(other);
    const runner = this.#runners.get(uid);
    this.#runners.delete(uid);
    await runner?.stop();
  }

  /** Writes the condition Ready, as a kubelet does that finds its runtime or network broken or whole again. */
  async setReady(isReady: boolean): Promise<void> {
    if (isReady !== this.#isReady) this.#readySince = Date.now();
    this.#isReady = isReady;
    await this.#writeConditions();
    if (isReady) this.#handleAll();
  }

  /** The kubelet stops: no heartbeat, no word on pods. */
  silence(): void {
    this.#isSilent = true;
  }

  /** The kubelet is back, and catches up with what it missed. */
  async resume(): Promise<void> {
    this.#isSilent = false;
    await this.#renewLease();
    await this.#writeConditions();
    this.#handleAll();
  }

  /** The instance is up again after a reboot. */
  async bootAgain(bootID: string): Promise<void> {
    const { api, node } = this.#options;
    const body = { status: { nodeInfo: { bootID } } };
    await api.patchStatus(NODES, node, { type: 'strategic-merge', body });
    await this.resume();
  }

  /** The instance is gone, and nothing more comes from it. */
  async stop(): Promise<void> {
    const runners = [...this.#runners.values()];
    this.#runners.clear();
    await Promise.all([this.#tasks.stop(), ...runners.map((runner) => runner.stop())]);
  }

  async #register(): Promise<void> {
    const { node, leaseMillis, statusMillis } = this.#options;
    const { readyMillis = 0, failure } = node;
    this.#isReady = readyMillis === 0 && failure !== 'never-ready';
    this.#registeredAt = this.#readySince = Date.now();
    this.#node = await this.#createOrAdopt();
    await this.#createLease();
    await this.#publishDevices(this.#node);
    this.#tasks.every(leaseMillis, () => this.#renewLease());
    this.#tasks.every(statusMillis, () => this.#writeConditions());
    if (this.#isReady) this.#handleAll();
    else if (failure !== 'never-ready') this.#tasks.after(readyMillis, () => this.setReady(true));
  }

  /** A Node of this name that is there already keeps its labels and taints, as when a kubelet starts again. */
  async #createOrAdopt(): Promise<Node> {
    const { api, node, identity } = this.#options;
    const manifest = nodeManifest(node, identity, this.#conditions());
    try {
      return await api.create(NODES, manifest);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 409)) throw error;
      return api.patchStatus(NODES, node, { type: 'strategic-merge', body: { status: manifest['status'] } });
    }
  }

  async #createLease(): Promise<void> {
    if (this.#node === undefined) return;
    const { name, uid } = this.#node.metadata;
    await this.#options.api.apply(
      LEASES,
      {
        metadata: {
          name,
          namespace: LEASE_NAMESPACE,
          ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
        },
        spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(new Date()) },
      },
      'kubelet',
    );
  }

  /** As a DRA driver does of the host's GPUs. */
  async #publishDevices(node: Node): Promise<void> {
    const slice = sliceOf(node);
    if (slice !== undefined) await this.#options.api.apply(RESOURCE_SLICES, slice, 'dra-driver');
  }

  async #renewLease(): Promise<void> {
    if (this.#isSilent || this.#node === undefined) return;
    const { api, node } = this.#options;
    const ref = { name: node.name, namespace: LEASE_NAMESPACE };
    await api.patch(LEASES, ref, { type: 'merge', body: { spec: { renewTime: microTime(new Date()) } } });
  }

  async #writeConditions(): Promise<void> {
    if (this.#isSilent || this.#node === undefined) return;
    await this.#options.api.patchStatus(NODES, this.#options.node, {
      type: 'strategic-merge',
      body: { status: { conditions: this.#conditions() } },
    });
  }

  #conditions(): Conditions {
    const times = { readySince: this.#readySince, registeredAt: this.#registeredAt, now: Date.now() };
    return nodeConditions({ isReady: this.#isReady, ...times });
  }

  #handleAll(): void {
    for (const pod of this.#pods.values()) this.#handle(pod);
  }

  /** Pods start on a ready node only; those that run or must go are seen to on any that speaks. */
  #handle(pod: Pod): void {
    if (this.#isSilent || this.#node === undefined) return;
    const known = this.#runners.get(pod.metadata.uid);
    if (known !== undefined) {
      known.observe(pod);
      this.#resize(pod);
      return;
    }
    if (!this.#isReady && pod.metadata.deletionTimestamp === undefined) return;
    const { api, podBehaviour, nextPodIP, identity, onError } = this.#options;
    const runner = new PodRunner({
      api,
      tasks: new Tasks(onError),
      behaviour: podBehaviour(pod),
      podIP: nextPodIP(),
      hostIP: identity.internalIP,
    });
    this.#runners.set(pod.metadata.uid, runner);
    this.#granted.begin(pod as SimulatedPod);
    runner.observe(pod);
  }

  /** A pod that runs may ask for more, or for less, than it began with. */
  #resize(pod: Pod): void {
    const { phase } = pod.status;
    if (phase === 'Succeeded' || phase === 'Failed') this.#granted.forget(pod as SimulatedPod);
    if (this.#isSilent || phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) return;
    const answer = this.#granted.answer(pod as SimulatedPod);
    if (answer === undefined) return;
    const { name, namespace = 'default', uid } = pod.metadata;
    const { conditions, containerStatuses } = resizedStatus(pod as SimulatedPod, answer, Date.now());
    const gone = [{ $patch: 'delete', type: RESIZE_PENDING }];
    const status = answer.lacking === undefined ? { conditions: gone, containerStatuses } : { conditions };
    const body = { metadata: { uid }, status };
    this.#tasks.after(0, async () => {
      await this.#options.api.patchStatus(PODS, { name, namespace }, { type: 'strategic-merge', body });
    });
  }
}

/** As metav1.MicroTime is written, which wants six digits. */
function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}
