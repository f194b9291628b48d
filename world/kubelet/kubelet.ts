/** The kubelet of one instance: registers its Node, becomes Ready, says that it lives, and runs the pods that are bound to it. */
import type { Catalogue } from '../../src/clouds/aws/catalogue/catalogue.js';
import type { ActorContext } from '../cluster/actor.js';
import { isOvertaken, refOf } from '../cluster/cluster-api.js';
import type { SimulatedInstance } from '../cluster/instance-source.js';
import type { KubeObject, Node, Pod } from '../cluster/objects.js';
import { microTimestamp } from '../cluster/timestamps.js';
import { GrantedRequests, resizedStatus } from './granted-requests.js';
import type { KubeletPlan } from './kubelet-plan.js';
import { instanceOffer, nodeConditions, nodeObject, type InstanceOffer } from './node-object.js';
import { PodRunner } from './pod-runner.js';
import { readUserData } from './user-data.js';

export interface KubeletOptions {
  readonly context: ActorContext;
  readonly instance: SimulatedInstance;
  readonly catalogue: Catalogue;
  readonly plan: KubeletPlan;
}

const LEASES = 'leases.coordination.k8s.io';
const LEASE_NAMESPACE = 'kube-node-lease';
const CSI_NODES = 'csinodes.storage.k8s.io';
const STATUS = { subresource: 'status' } as const;
const STATUS_MILLIS = 300_000;
const REGISTER_AGAIN_MILLIS = 5_000;
/** EBS volumes beside network interfaces and the root on Nitro instances. */
const EBS = { name: 'ebs.csi.aws.com', volumes: 25 };

export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #offer: InstanceOffer;
  readonly #granted: GrantedRequests;
  readonly #runners = new Map<string, PodRunner>();
  readonly #pods = new Map<string, Pod>();
  readonly #images = new Set<string>();
  readonly #timers = new Set<() => void>();
  #isRegistered = false;
  #isReady = false;
  #isSilent = false;
  #registeredAt = 0;
  #readySince = 0;
  #podIPs = 0;

  /** @throws Error when the catalogue does not know the instance's type. */
  constructor(options: KubeletOptions) {
    this.#options = options;
    const { catalogue, instance, plan } = options;
    const registration = readUserData(instance.userData);
    this.#offer = instanceOffer(catalogue, instance, registration, plan.memoryBeyond);
    this.#granted = new GrantedRequests(() => (this.#offer.full ?? this.#offer.own).allocatable);
  }

  get nodeName(): string {
    return this.#options.instance.privateDnsName;
  }

  /** The instance runs: its kubelet comes up when its time has come. */
  boot(): void {
    const { context, instance, plan } = this.#options;
    const { clock, chance } = context;
    if (chance.hits(`never joins ${instance.id}`, plan.neverJoins)) return;
    const registersAt = instance.launchedAt + chance.within(`register ${instance.id}`, plan.registerMillis);
    this.#after(registersAt - clock.now(), () => this.#register());
  }

  /** Nothing more comes from the instance. */
  stop(): void {
    for (const cancel of this.#timers) cancel();
    for (const runner of this.#runners.values()) runner.stop();
    this.#timers.clear();
    this.#runners.clear();
    this.#isSilent = true;
  }

  /** Heartbeats and word of pods stop, until it speaks again. */
  silence(): void {
    this.#isSilent = true;
  }

  resume(): void {
    this.#isSilent = false;
    this.#try(() => this.#writeConditions());
    for (const pod of [...this.#pods.values()]) this.observe(pod);
  }

  /** The instance is up again after a reboot, the nth: the node says so, and is Ready as late as a new one. */
  bootAgain(boots: number): void {
    const { context, instance, plan } = this.#options;
    this.#isSilent = false;
    context.trace.add('kubelet', `node/${this.nodeName}`, 'booted again');
    this.setReady(false);
    const bootID = `${instance.id}-${String(boots)}`;
    this.#try(() =>
      this.#changeStatus((status) => ({
        ...status,
        nodeInfo: { ...(status['nodeInfo'] as object | undefined), bootID },
      })),
    );
    this.#after(context.chance.within(`ready ${bootID}`, plan.readyMillis), () => {
      context.trace.add('kubelet', `node/${this.nodeName}`, 'Ready');
      this.setReady(true);
    });
  }

  setReady(isReady: boolean): void {
    if (isReady !== this.#isReady) this.#readySince = this.#options.context.clock.now();
    this.#isReady = isReady;
    this.#try(() => this.#writeConditions());
    for (const pod of [...this.#pods.values()]) this.observe(pod);
  }

  /** A pod bound here, new or changed. Pods begin on a Ready node only; those that must go are seen to on any that speaks. */
  observe(pod: Pod): void {
    const { uid, deletionTimestamp } = pod.metadata;
    this.#pods.set(uid, pod);
    if (this.#isSilent || !this.#isRegistered) return;
    const known = this.#runners.get(uid);
    if (known !== undefined) {
      known.observe(pod);
      this.#resize(pod);
      return;
    }
    if (!this.#isReady && deletionTimestamp === undefined) return;
    const runner = this.#runnerFor(pod);
    this.#runners.set(uid, runner);
    if (deletionTimestamp !== undefined) runner.observe(pod);
    else this.#admit(pod, runner);
  }

  forget(pod: Pod): void {
    const { uid } = pod.metadata;
    this.#pods.delete(uid);
    this.#runners.get(uid)?.stop();
    this.#runners.delete(uid);
    this.#granted.forget(pod);
    for (const other of this.#pods.values()) if (this.#runners.has(other.metadata.uid)) this.#resize(other);
  }

  /** Renews the node's Lease. */
  heartbeat(): void {
    if (this.#isSilent || !this.#isRegistered) return;
    const { context } = this.#options;
    const renewTime = microTimestamp(context.clock.now());
    const ref = { namespace: LEASE_NAMESPACE, name: this.nodeName };
    this.#try(() =>
      context.api.change(LEASES, ref, (lease) => ({
        ...lease,
        spec: { ...(lease['spec'] as object), renewTime },
      })),
    );
  }

  async #register(): Promise<void> {
    const { context, instance, plan, catalogue } = this.#options;
    const { api, clock, chance, trace } = context;
    const now = clock.now();
    this.#registeredAt = now;
    this.#readySince = now;
    const registration = readUserData(instance.userData);
    const draft = nodeObject({ instance, registration, region: catalogue.region, offer: this.#offer, now });
    let node: KubeObject;
    try {
      node = await api.create('nodes', draft);
    } catch (error) {
      // A node of that name may be on its way out.
      this.#after(REGISTER_AGAIN_MILLIS, () => this.#register());
      throw error;
    }
    this.#isRegistered = true;
    trace.add(
      'kubelet',
      `node/${this.nodeName}`,
      `registered (${instance.instanceType}, ${instance.zone}, ${instance.capacityType})`,
    );
    await this.#createLease(node);
    await this.#createCsiNode();
    this.#every(STATUS_MILLIS, () => this.#writeConditions());
    if (chance.hits(`never ready ${instance.id}`, plan.neverReady)) return;
    this.#after(chance.within(`ready ${instance.id}`, plan.readyMillis), () => {
      trace.add('kubelet', `node/${this.nodeName}`, 'Ready');
      this.setReady(true);
      this.#planDevices();
      this.#planFailure();
    });
  }

  /** Device plugins are pods, and come after the node is Ready. */
  #planDevices(): void {
    const { context, instance, plan } = this.#options;
    const { full } = this.#offer;
    if (full === undefined) return;
    this.#after(context.chance.within(`devices ${instance.id}`, plan.deviceMillis), async () => {
      context.trace.add('kubelet', `node/${this.nodeName}`, 'devices registered');
      await this.#changeStatus((status) => ({ ...status, ...full }));
    });
  }

  #planFailure(): void {
    const { context, instance, plan } = this.#options;
    const { chance, trace } = context;
    if (!chance.hits(`fails ${instance.id}`, plan.failsLater)) return;
    this.#after(chance.within(`failure ${instance.id}`, plan.failureMillis), () => {
      trace.add('kubelet', `node/${this.nodeName}`, 'NotReady');
      this.setReady(false);
    });
  }

  async #createLease({ apiVersion, kind, metadata: { name, uid } }: KubeObject): Promise<void> {
    const { api, clock } = this.#options.context;
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimestamp(clock.now()) };
    const ownerReferences = [{ apiVersion, kind, name, uid }];
    await api.create(LEASES, { metadata: { namespace: LEASE_NAMESPACE, name, ownerReferences }, spec });
  }

  async #createCsiNode(): Promise<void> {
    const driver = {
      name: EBS.name,
      nodeID: this.#options.instance.id,
      topologyKeys: ['topology.kubernetes.io/zone'],
      allocatable: { count: EBS.volumes },
    };
    const node = this.#options.context.api.get('nodes', { name: this.nodeName });
    const ownerReferences = node && [
      { apiVersion: 'v1', kind: 'Node', name: this.nodeName, uid: node.metadata.uid },
    ];
    await this.#options.context.api.create(CSI_NODES, {
      metadata: { name: this.nodeName, ownerReferences },
      spec: { drivers: [driver] },
    });
  }

  #writeConditions(): Promise<unknown> {
    if (this.#isSilent || !this.#isRegistered) return Promise.resolve();
    const conditions = nodeConditions({
      isReady: this.#isReady,
      readySince: this.#readySince,
      registeredAt: this.#registeredAt,
      now: this.#options.context.clock.now(),
    });
    const own = new Set(conditions.map(({ type }) => type));
    return this.#changeStatus((status) => {
      const others = (status.conditions ?? []).filter(({ type }) => !own.has(type));
      return { ...status, conditions: [...conditions, ...others] };
    });
  }

  #changeStatus(change: (status: NonNullable<Node['status']>) => object): Promise<unknown> {
    const ref = { name: this.nodeName };
    return this.#options.context.api.change(
      'nodes',
      ref,
      (node) => ({ ...node, status: change((node as Node).status ?? {}) }),
      STATUS,
    );
  }

  #runnerFor(pod: Pod): PodRunner {
    const { context, instance } = this.#options;
    const index = this.#podIPs++;
    return new PodRunner({
      context,
      pod,
      hostIP: instance.privateIP,
      podIP: `100.${instance.privateIP.split('.').slice(2).join('.')}.${String(index % 256)}`,
      pullMillis: this.#pull(pod),
    });
  }

  /** Images that the node has need not be pulled. */
  #pull({ spec }: Pod): number {
    const { context, plan } = this.#options;
    const images = [...(spec.initContainers ?? []), ...spec.containers].map(({ image = '' }) => image);
    const missing = [...new Set(images)].filter((image) => !this.#images.has(image));
    for (const image of missing) this.#images.add(image);
    const times = missing.map((image) =>
      context.chance.within(`pull ${image} ${this.nodeName}`, plan.pullMillis),
    );
    return Math.max(...times, plan.createMillis);
  }

  /** The kubelet counts for itself: two schedulers may have promised the same room. */
  #admit(pod: Pod, runner: PodRunner): void {
    const lacking = this.#lacking(pod);
    if (lacking === undefined) {
      this.#granted.begin(pod);
      runner.start();
      return;
    }
    const message = `Node didn't have enough resource: ${lacking}`;
    runner.reject(`OutOf${lacking}`, message);
  }

  #lacking(pod: Pod): string | undefined {
    return (pod.status?.phase ?? 'Pending') === 'Pending' ? this.#granted.lacking(pod) : undefined;
  }

  /** A pod that runs may ask for more, or for less, than it began with. */
  #resize(pod: Pod): void {
    const phase = pod.status?.phase;
    if (phase === 'Succeeded' || phase === 'Failed') this.#granted.forget(pod);
    if (this.#isSilent || phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined) return;
    const answer = this.#granted.answer(pod);
    if (answer === undefined) return;
    const { api, clock, trace } = this.#options.context;
    const { uid, namespace = '', name } = pod.metadata;
    const said = answer.lacking === undefined ? 'granted' : `Deferred: too little ${answer.lacking}`;
    trace.add('kubelet', `pod/${namespace}/${name}`, `resize ${said}`);
    const change = (object: KubeObject): KubeObject =>
      object.metadata.uid === uid
        ? { ...object, status: resizedStatus(object as Pod, answer, clock.now()) }
        : object;
    this.#try(() => api.change('pods', refOf(pod), change, STATUS));
  }

  #after(millis: number, act: () => unknown): void {
    const cancel = this.#options.context.clock.timer(millis, () => {
      this.#timers.delete(cancel);
      this.#try(act);
    });
    this.#timers.add(cancel);
  }

  #every(millis: number, act: () => Promise<unknown>): void {
    this.#after(millis, () => {
      this.#every(millis, act);
      return act();
    });
  }

  #try(act: () => unknown): void {
    Promise.resolve(act()).catch((error: unknown) => {
      if (!isOvertaken(error))
        this.#options.context.trace.add('kubelet', `node/${this.nodeName}`, `failed: ${String(error)}`);
    });
  }
}
