/**
 * A Karpenter in the simulated world, as far as it decides what a cluster costs: it reads its own custom resources, packs pending pods
 * first fit on the cheapest type that holds them, removes empty nodes, and from time to time one whose pods fit elsewhere.
 */
import { AwsCloud } from '../../../src/clouds/aws/adapter/index.js';
import { CPU, MEMORY, PODS, type ResourceList } from '../../../src/domain/values/resources.js';
import { UNREGISTERED_TAINT } from '../../../src/domain/nodes/node-claim.js';
import type { Labels } from '../../../src/domain/values/labels.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import type { KubeObject } from '../../../world/kubernetes/objects/kube-object.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { clientsOf } from '../../support/builders/aws-clients.js';
import { ec2NodeClass } from '../../support/builders/ec2-node-class.js';
import type { SimulatedWorld } from '../simulated-world.js';
import { fits, NO_ROOM, packed, plus, type Offer, type PodSize, type Room } from './first-fit.js';
import { NODE_CLAIMS, NODE_POOLS } from './karpenter-kinds.js';

const FINALIZER = 'karpenter.sh/termination';
const POOL = 'karpenter.sh/nodepool';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const TICK_MILLIS = 5_000;
/** A pod that is not bound so long after the node came up has found no room on it. */
const AWAIT_MILLIS = 30_000;
const EMPTY_MILLIS = 60_000;
/** So seldom is a node looked for whose pods fit elsewhere. */
const CONSOLIDATE_MILLIS = 900_000;
const MIB = 2 ** 20;
const DISRUPTED = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };

interface Machine {
  readonly claim: string;
  readonly pool: string;
  readonly providerID: string;
  readonly room: Room;
  readonly price: number;
  /** Pods that it was launched for and that are not bound yet; those that found no room on it are launched for again. */
  readonly awaited: Set<string>;
  node: string | undefined;
  /** When its node registered. */
  upSince: number;
  emptySince: number | undefined;
  isGoing: boolean;
}

export class ModelledKarpenter {
  readonly #world: SimulatedWorld;
  readonly #cloud: AwsCloud;
  readonly #types: readonly InstanceType[];
  readonly #machines = new Map<string, Machine>();
  /** As the tick began. */
  #byNode: ReadonlyMap<string, readonly KubeObject[]> = new Map();
  #names = 0;
  #consolidatedAt = 0;
  #stop: () => void = () => undefined;
  #isStopped = false;
  #ticking: Promise<void> = Promise.resolve();

  /** `labelsOf`: what its nodes have as labels of their type; those of Karpenter unless given. */
  constructor(world: SimulatedWorld, seed: number, labelsOf = (labels: Labels): Labels => labels) {
    this.#world = world;
    const { clock, catalogue } = world;
    this.#types = catalogue.instanceTypes.map((type) => ({ ...type, labels: labelsOf(type.labels) }));
    const clients = clientsOf(world.aws, { clock, random: seededRandom(seed) });
    this.#cloud = new AwsCloud({
      ...{ clients, catalogue: () => catalogue, clock, logger: world.log.logger },
      cluster: { name: 'berth-demo' },
      clusterUID: () => 'not-berths',
      checksPermissions: false,
    });
  }

  /** Nodes that it launched and that still run. */
  get size(): number {
    return this.#machines.size;
  }

  /** Whether instances are on their way into the cluster or out of it. */
  get isBusy(): boolean {
    return [...this.#machines.values()].some(
      ({ node, isGoing, awaited }) => node === undefined || isGoing || awaited.size > 0,
    );
  }

  start(): void {
    this.#stop = this.#world.clock.timer(TICK_MILLIS, () => {
      this.#ticking = this.#tick().then(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  /** As when its Deployment is scaled to 0: nodes and claims stay as they are. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop();
    await this.#ticking;
  }

  async #tick(): Promise<void> {
    const byNode = new Map<string, KubeObject[]>();
    for (const pod of this.#pods()) {
      const node = nodeOf(pod) ?? '';
      byNode.set(node, [...(byNode.get(node) ?? []), pod]);
    }
    this.#byNode = byNode;
    await this.#register();
    await this.#provision();
    this.#noteEmpty();
    this.#consolidate();
    for (const machine of this.#machines.values()) if (machine.isGoing) await this.#drain(machine);
  }

  async #provision(): Promise<void> {
    const [pool] = this.#world.api.list(NODE_POOLS);
    const pods = this.#pods();
    const bound = new Set(
      pods.filter((pod) => nodeOf(pod) !== undefined).map(({ metadata }) => metadata.uid),
    );
    const known = new Set(pods.map(({ metadata }) => metadata.uid));
    const awaited = new Set<string>();
    const longUp = this.#world.clock.now() - AWAIT_MILLIS;
    for (const machine of this.#machines.values())
      for (const uid of machine.awaited) {
        if (bound.has(uid) || !known.has(uid) || machine.upSince < longUp) machine.awaited.delete(uid);
        else awaited.add(uid);
      }
    const sizes = new Map(pods.map((pod) => [pod.metadata.uid, roomOf(pod)]));
    const pending = pods
      .filter((pod) => isUnschedulable(pod) && !awaited.has(pod.metadata.uid))
      .map((pod): PodSize => ({ uid: pod.metadata.uid, room: roomOf(pod) }));
    const left = pending.filter((pod) => !this.#joins(pod, sizes));
    if (pool === undefined || left.length === 0) return;
    const offers = this.#offers(pool);
    for (const { uids, offers: holding } of packed(left, offers, 110))
      await this.#launch(pool, uids, holding);
  }

  /** Whether a node that is being launched has room for it, too. */
  #joins(pod: PodSize, sizes: ReadonlyMap<string, Room>): boolean {
    for (const machine of this.#machines.values()) {
      if (machine.isGoing || machine.awaited.size === 0) continue;
      const used = [...machine.awaited].map((uid) => sizes.get(uid) ?? NO_ROOM).reduce(plus, NO_ROOM);
      const there = machine.node === undefined ? NO_ROOM : this.#usedOn(machine.node);
      if (!fits(plus(plus(used, there), pod.room), machine.room)) continue;
      machine.awaited.add(pod.uid);
      return true;
    }
    return false;
  }

  /** Types of the pool, with what DaemonSets leave of them. */
  #offers(pool: KubeObject): readonly Offer[] {
    const wanted = requirementsOf(pool);
    const daemons = this.#world.api
      .list('daemonsets.apps')
      .map((daemonSet) => roomOf((daemonSet['spec'] as { readonly template: KubeObject }).template))
      .reduce(plus, NO_ROOM);
    return this.#types
      .filter(({ labels }) =>
        [...wanted].every(([key, values]) => isPlace(key) || values.has(labels.get(key) ?? '')),
      )
      .flatMap(({ name, allocatable, offerings }) => {
        const prices = offerings
          .filter(({ capacityType }) => capacityType === 'on-demand')
          .map(({ price }) => price);
        const { cpu, memory, pods } = roomIn(allocatable);
        const room = { cpu: cpu - daemons.cpu, memory: memory - daemons.memory, pods: pods - daemons.pods };
        return prices.length === 0 ? [] : [{ instanceType: name, room, price: Math.min(...prices) }];
      });
  }

  async #launch(pool: KubeObject, uids: readonly string[], offers: readonly Offer[]): Promise<void> {
    const name = `${pool.metadata.name}-k${String(++this.#names)}`;
    const zones = requirementsOf(pool).get('topology.kubernetes.io/zone') ?? new Set(['eu-west-3a']);
    const labels = new Map([
      [POOL, pool.metadata.name],
      [CAPACITY_TYPE, 'on-demand'],
    ]);
    const taints = [UNREGISTERED_TAINT];
    const cheapest = offers.slice(0, 60);
    const request = await this.#cloud.prepareLaunch({
      ...{ nodeClass: ec2NodeClass(), capacityType: 'on-demand', size: 1, labels, taints },
      offerings: cheapest.flatMap(({ instanceType, price }) =>
        [...zones].map((zone) => ({ instanceType, zone, price })),
      ),
    });
    const tags = new Map([
      [POOL, pool.metadata.name],
      ['karpenter.sh/nodeclaim', name],
      ['karpenter.k8s.aws/ec2nodeclass', 'default'],
      ['eks:eks-cluster-name', 'berth-demo'],
      ['kubernetes.io/cluster/berth-demo', 'owned'],
    ]);
    const { instances } = await this.#cloud.launch({ token: name, request, tags, labels, taints });
    const [instance] = instances;
    const offer = cheapest.find(({ instanceType }) => instanceType === instance?.instanceType);
    if (instance === undefined || offer === undefined) return;
    const { providerID, imageID, instanceType, zone } = instance;
    const requirement = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
    await this.#world.api.create(NODE_CLAIMS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, labels: Object.fromEntries(labels), finalizers: [FINALIZER] },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [
          requirement('node.kubernetes.io/instance-type', instanceType),
          requirement('topology.kubernetes.io/zone', zone),
        ],
        resources: { requests: { pods: String(uids.length) } },
        expireAfter: '720h',
      },
    });
    await this.#world.api.change(
      NODE_CLAIMS,
      { name },
      (claim) => ({ ...claim, status: { providerID, imageID, conditions: conditions('Launched') } }),
      { subresource: 'status' },
    );
    const { room, price } = offer;
    const own = { claim: name, pool: pool.metadata.name, providerID, room, price };
    this.#machines.set(name, {
      ...own,
      ...{
        awaited: new Set(uids),
        node: undefined,
        upSince: Infinity,
        emptySince: undefined,
        isGoing: false,
      },
    });
  }

  async #register(): Promise<void> {
    const { api } = this.#world;
    for (const node of api.list('nodes')) {
      const { providerID, taints = [] } = node['spec'] as {
        readonly providerID?: string;
        readonly taints?: readonly { readonly key: string }[];
      };
      const machine = [...this.#machines.values()].find((each) => each.providerID === providerID);
      if (machine === undefined || machine.node !== undefined) continue;
      machine.node = node.metadata.name;
      machine.upSince = this.#world.clock.now();
      const claim = api.get(NODE_CLAIMS, { name: machine.claim });
      const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: machine.claim };
      await api.change('nodes', { name: node.metadata.name }, (now) => ({
        ...now,
        metadata: {
          ...now.metadata,
          finalizers: [FINALIZER],
          ownerReferences: [{ ...owner, uid: claim?.metadata.uid ?? '', blockOwnerDeletion: true }],
          labels: {
            ...now.metadata.labels,
            ...this.#labelsOf(now),
            [POOL]: machine.pool,
            [CAPACITY_TYPE]: 'on-demand',
            'karpenter.sh/registered': 'true',
            'karpenter.sh/initialized': 'true',
          },
        },
        spec: {
          ...(now['spec'] as object),
          taints: taints.filter(({ key }) => key !== UNREGISTERED_TAINT.key),
        },
      }));
      await api.change(
        NODE_CLAIMS,
        { name: machine.claim },
        (now) => ({
          ...now,
          status: {
            ...(now['status'] as object),
            nodeName: node.metadata.name,
            conditions: conditions('Launched', 'Registered', 'Initialized', 'Ready'),
          },
        }),
        { subresource: 'status' },
      );
    }
  }

  /** What Karpenter says of the instance type. */
  #labelsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
    const name = metadata.labels?.['node.kubernetes.io/instance-type'];
    const type = this.#types.find((each) => each.name === name);
    return Object.fromEntries(type?.labels ?? []);
  }

  #noteEmpty(): void {
    const now = this.#world.clock.now();
    for (const machine of this.#machines.values()) {
      const isEmpty =
        machine.node !== undefined && machine.awaited.size === 0 && this.#podsOn(machine.node).length === 0;
      machine.emptySince = isEmpty ? (machine.emptySince ?? now) : undefined;
      if (machine.emptySince !== undefined && now - machine.emptySince >= EMPTY_MILLIS)
        machine.isGoing = true;
    }
  }

  /** One node at a time, if its pods fit on what others have left. */
  #consolidate(): void {
    const now = this.#world.clock.now();
    if (now - this.#consolidatedAt < CONSOLIDATE_MILLIS) return;
    this.#consolidatedAt = now;
    const up = [...this.#machines.values()].filter(({ node, isGoing }) => node !== undefined && !isGoing);
    if (up.some(({ awaited }) => awaited.size > 0)) return;
    const byLoad = up
      .map((machine) => ({ machine, used: this.#usedOn(machine.node ?? '') }))
      .sort((left, right) => left.used.cpu / left.machine.room.cpu - right.used.cpu / right.machine.room.cpu);
    for (const { machine } of byLoad.slice(0, 3)) {
      const others = byLoad.filter((other) => other.machine !== machine);
      const free = others.map(({ machine: { room }, used }) => ({ room, used }));
      const isMovable = this.#podsOn(machine.node ?? '').every((pod) => {
        const room = roomOf(pod);
        const place = free.find((each) => fits(plus(each.used, room), each.room));
        if (place === undefined) return false;
        place.used = plus(place.used, room);
        return true;
      });
      if (!isMovable) continue;
      machine.isGoing = true;
      return;
    }
  }

  async #drain(machine: Machine): Promise<void> {
    const { api } = this.#world;
    const name = machine.node ?? '';
    const node = api.get('nodes', { name });
    if (node !== undefined && node.metadata.deletionTimestamp === undefined) {
      await api.change('nodes', { name }, (now) => {
        const { taints = [], ...spec } = now['spec'] as { readonly taints?: readonly object[] };
        return { ...now, spec: { ...spec, taints: [...taints, DISRUPTED] } };
      });
      await api.delete('nodes', { name });
    }
    const pods = this.#pods().filter((pod) => nodeOf(pod) === name);
    for (const { metadata } of pods)
      if (metadata.deletionTimestamp === undefined)
        await api
          .evict({ namespace: metadata.namespace ?? 'default', name: metadata.name })
          .catch(() => undefined);
    if (pods.length > 0) return;
    await this.#cloud.terminate([machine.providerID.slice(machine.providerID.lastIndexOf('/') + 1)]);
    this.#machines.delete(machine.claim);
    const free = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, finalizers: [] },
    });
    if (node !== undefined) await api.change('nodes', { name }, free);
    await api.delete(NODE_CLAIMS, { name: machine.claim });
    await api.change(NODE_CLAIMS, { name: machine.claim }, free);
  }

  #usedOn(node: string): Room {
    return this.#podsOn(node).map(roomOf).reduce(plus, NO_ROOM);
  }

  #podsOn(node: string): readonly KubeObject[] {
    return this.#byNode.get(node) ?? [];
  }

  /** Without those of DaemonSets, and those that have ended. */
  #pods(): readonly KubeObject[] {
    return this.#world.api.list('pods').filter((pod) => {
      const { phase } = pod['status'] as { readonly phase?: string };
      const isDaemon = pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') === true;
      return !isDaemon && phase !== 'Succeeded' && phase !== 'Failed';
    });
  }
}

function nodeOf(pod: KubeObject): string | undefined {
  return (pod['spec'] as { readonly nodeName?: string }).nodeName;
}

function isUnschedulable(pod: KubeObject): boolean {
  const { conditions: all = [] } = pod['status'] as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
  const isRefused = all.some(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  return isRefused && nodeOf(pod) === undefined && pod.metadata.deletionTimestamp === undefined;
}

function requirementsOf(pool: KubeObject): ReadonlyMap<string, ReadonlySet<string>> {
  const { template } = pool['spec'] as {
    readonly template: {
      readonly spec: {
        readonly requirements: readonly { readonly key: string; readonly values: readonly string[] }[];
      };
    };
  };
  return new Map(template.spec.requirements.map(({ key, values }) => [key, new Set(values)]));
}

function isPlace(key: string): boolean {
  return key === 'topology.kubernetes.io/zone' || key === CAPACITY_TYPE;
}

function roomIn(amounts: ResourceList): Room {
  return {
    cpu: amounts.get(CPU) ?? 0,
    memory: (amounts.get(MEMORY) ?? 0) / MIB,
    pods: amounts.get(PODS) ?? 0,
  };
}

/** Of a pod or a template of pods, whose requests are in cores or millicores, and in Mi or Gi. */
function roomOf(pod: Readonly<Record<string, unknown>>): Room {
  const { containers } = pod['spec'] as {
    readonly containers: readonly {
      readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
    }[];
  };
  const sizes = containers.map(({ resources }) => {
    const { cpu = '0', memory = '0' } = resources?.requests ?? {};
    return { cpu: millicores(String(cpu)), memory: mebibytes(String(memory)), pods: 0 };
  });
  return sizes.reduce(plus, { ...NO_ROOM, pods: 1 });
}

function millicores(text: string): number {
  return text.endsWith('m') ? Number(text.slice(0, -1)) : 1000 * Number(text);
}

function mebibytes(text: string): number {
  if (text.endsWith('Gi')) return 1024 * Number(text.slice(0, -2));
  return text.endsWith('Mi') ? Number(text.slice(0, -2)) : Number(text) / MIB;
}

function conditions(...types: readonly string[]): readonly object[] {
  return types.map((type) => ({
    ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  }));
}
