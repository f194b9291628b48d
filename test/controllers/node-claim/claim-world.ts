/** A cluster and a cloud in memory around the claim controllers: kubelets start with their instances, Berth may die any time. */
import { DEFAULT_NODE_CLASS } from '../../../src/clouds/aws/catalogue/default-node-class.js';
import { setMaxListeners } from 'node:events';
import { Catalogue } from '../../../src/clouds/aws/catalogue/catalogue.js';
import { catalogueFor } from '../../../src/clouds/aws/catalogue/index.js';
import { GarbageCollectionController } from '../../../src/controllers/garbage-collection/garbage-collection-controller.js';
import { NodeClaimController } from '../../../src/controllers/node-claim/node-claim-controller.js';
import { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import type { SafetyLimits } from '../../../src/controllers/safeguards/safety-limits.js';
import {
  LAUNCH_GROUP_ANNOTATION,
  LAUNCH_GROUP_SIZE_ANNOTATION,
  type NodeClaim,
  type NodeClaimSpec,
} from '../../../src/domain/nodes/node-claim.js';
import { PAUSED_ANNOTATION } from '../../../src/domain/records/pause.js';
import type { NodeClass } from '../../../src/domain/policies/node-class.js';
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import type { Taint } from '../../../src/domain/values/taint.js';
import type { Cloud, CloudInstance } from '../../../src/ports/cloud.js';
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { nodeClaimSpec } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { reservationEntry } from '../../support/builders/reservation.js';
import { FakeCloud, type InstanceEvent } from '../../support/fake-cloud/fake-cloud.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { lateFeed } from '../../support/in-memory/late-feed.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { seededRandom } from '../../../world/seeded-random.js';

export const CLUSTER_UID = 'uid-kube-system';
export const TYPES = ['m6i.large', 'm5.large', 'm6a.large'];
/** The node class that says nothing. */
export const NODE_CLASS = DEFAULT_NODE_CLASS;

/** The cloud with some of its members replaced. */
export function cloudWith(cloud: Cloud, replaced: Partial<Cloud>): Cloud {
  return {
    repairPolicies: cloud.repairPolicies,
    resolveNodeClass: (source, signal) => cloud.resolveNodeClass(source, signal),
    prepareLaunch: (intent, signal) => cloud.prepareLaunch(intent, signal),
    launch: (call, signal) => cloud.launch(call, signal),
    instances: (tags, signal) => cloud.instances(tags, signal),
    tagInstances: (ids, tags, signal) => cloud.tagInstances(ids, tags, signal),
    terminate: (ids, signal) => cloud.terminate(ids, signal),
    reboot: (id, operation, signal) => cloud.reboot(id, operation, signal),
    ...replaced,
  };
}

export interface Berth {
  readonly cluster: Cluster;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly garbageCollection: GarbageCollectionController;
  readonly safeguards: Safeguards;
  /** Ends at once, in the middle of whatever it does. */
  kill(): void;
}

export interface WorldOptions {
  readonly stock?: number;
  readonly consistencyMillis?: number;
  readonly podsLinger?: boolean;
  /** How long the API server takes for each write; nothing unless given. */
  readonly writeMillis?: number;
  readonly catalogue?: Catalogue;
  /** NODE_CLASS unless given. */
  readonly nodeClass?: NodeClass;
  /** How much later than a write's answer a watch tells of it; at once unless given. */
  readonly watchLagMillis?: number;
  readonly limits?: Partial<SafetyLimits>;
  /** Whether new nodes have the taint berth.sh/held. */
  readonly taintNewNodes?: boolean;
}

const ALL = catalogueFor('eu-west-3');
const CATALOGUE = new Catalogue({
  region: ALL.region,
  entries: ALL.entries.filter(({ facts }) => TYPES.includes(facts.name)),
});
/** From a running instance to a node, and from a node to a ready one. */
const JOIN_MILLIS = 5000;
const READY_MILLIS = 3000;

export class ClaimWorld {
  readonly clock = new VirtualClock();
  readonly kube: InMemoryKube;
  readonly cloud: FakeCloud;
  readonly told = recordedDecisions();
  readonly nominated: string[] = [];
  readonly log = recordingLogger();
  /** Of the process that runs. */
  readonly unavailableOfferings = new UnavailableOfferings();
  readonly catalogue: Catalogue;
  readonly #watchLagMillis: number;
  readonly #limits: Partial<SafetyLimits> | undefined;
  readonly #nodeClass: NodeClass;
  readonly #taintNewNodes: boolean;
  /** Kubelets that never join, by instance type. */
  readonly deaf = new Set<string>();
  /** Those that join, and are never Ready. */
  readonly neverReady = new Set<string>();
  /** Whether nodes come back when their instance was rebooted. */
  bootsAgain = true;
  /** Whether they are well then. */
  rebootsCure = true;
  #boots = 0;
  /** What kubelets register with, where it is not what the launch says. */
  registrationTaints: ((event: InstanceEvent) => readonly Taint[]) | undefined;
  /** What nodes have of what they were launched with: 1 is all. */
  shareOfCapacity = 1;

  constructor({ stock, consistencyMillis, podsLinger, writeMillis, ...options }: WorldOptions = {}) {
    const { clock } = this;
    const { catalogue = CATALOGUE, watchLagMillis = 0, nodeClass = NODE_CLASS } = options;
    this.#nodeClass = nodeClass;
    this.#limits = options.limits;
    this.#taintNewNodes = options.taintNewNodes ?? false;
    this.catalogue = catalogue;
    this.#watchLagMillis = watchLagMillis;
    this.kube = new InMemoryKube({ clock, podsLinger, delayMillis: writeMillis });
    this.cloud = new FakeCloud({ clock, random: seededRandom(7), catalogue, stock, consistencyMillis });
    this.cloud.onInstance((event) => {
      this.#kubelet(event);
    });
    this.kube.objects.put('Namespace', { name: 'kube-system', labels: new Map(), uid: CLUSTER_UID });
  }

  /** A Berth process with eyes of its own. */
  start(ports: { readonly kube?: KubeWriter; readonly cloud?: Cloud } = {}): Berth {
    const { clock, catalogue } = this;
    const { kube = this.kube, cloud = this.cloud } = ports;
    const nodeClass = this.#nodeClass;
    const cluster = new Cluster();
    const lag = this.#watchLagMillis;
    const stopWatching = this.kube.objects.watch(lag > 0 ? lateFeed(cluster, clock, lag) : cluster);
    const metrics = createMetrics();
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const base = {
      cluster,
      kube,
      cloud,
      clock,
      metrics,
      logger: this.log.logger,
      recorder: this.told.recorder,
    };
    const safeguards = new Safeguards({ ...base, limits: this.#limits });
    const claims = new NodeClaimController({
      ...base,
      safeguards,
      catalogue: () => catalogue,
      random: seededRandom(11),
      nodeClass: ({ name }) => (name === nodeClass.name ? nodeClass : undefined),
      unavailableOfferings: this.unavailableOfferings,
      nominatePods: (claim, nodeName) => {
        this.nominated.push(`${claim.name} on ${nodeName}`);
        return Promise.resolve();
      },
      clusterName: 'test',
      settings: { taintNewNodes: this.#taintNewNodes },
    });
    const garbageCollection = new GarbageCollectionController({ ...base, safeguards });
    void safeguards.run(stop.signal);
    void claims.run(stop.signal);
    void garbageCollection.run(stop.signal);
    return {
      cluster,
      metrics,
      garbageCollection,
      safeguards,
      kill: () => {
        stopWatching();
        stop.abort();
      },
    };
  }

  /** Claims of one group with the reservations of their pods, as provisioning leaves them behind. */
  async launchGroup(
    names: readonly string[],
    spec: Partial<NodeClaimSpec> = {},
    group = 'group-1',
  ): Promise<void> {
    for (const name of names) {
      await this.createClaim(name, spec, {
        [LAUNCH_GROUP_ANNOTATION]: group,
        [LAUNCH_GROUP_SIZE_ANNOTATION]: String(names.length),
      });
      await this.reserve(name);
    }
  }

  createClaim(
    name: string,
    spec: Partial<NodeClaimSpec> = {},
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<NodeClaim> {
    return this.kube.createNodeClaim({
      name,
      labels: new Map([['team', 'web']]),
      annotations: new Map(Object.entries(annotations)),
      spec: nodeClaimSpec({
        requirements: [
          requirement('node.kubernetes.io/instance-type', 'In', TYPES),
          requirement('karpenter.sh/capacity-type', 'In', ['spot', 'on-demand']),
        ],
        ...spec,
      }),
    });
  }

  async reserve(name: string): Promise<void> {
    const entry = reservationEntry({ podUID: `pod-of-${name}` });
    await this.kube.putReservation({ kind: 'NodeClaim', name }, [entry], undefined);
  }

  /** As `berth pause` and `berth resume` do. */
  pause(reason: string | undefined): void {
    const annotations = new Map(reason === undefined ? [] : [[PAUSED_ANNOTATION, reason]]);
    const namespace = { name: 'berth-system', labels: new Map(), uid: 'uid-berth-system', annotations };
    this.kube.objects.put('Namespace', namespace);
  }

  claim(name: string): NodeClaim | undefined {
    return this.kube.objects.get('NodeClaim', name);
  }

  claims(): readonly NodeClaim[] {
    return this.kube.objects.list('NodeClaim');
  }

  nodes(): readonly ObservedNode[] {
    return this.kube.objects.list('Node');
  }

  nodeOf(name: string): ObservedNode | undefined {
    const providerID = this.claim(name)?.status.providerID;
    return this.nodes().find((node) => node.providerID === providerID);
  }

  /** Instances that cost money. */
  liveInstances(): readonly CloudInstance[] {
    return this.cloud.fleet().filter(({ state }) => state === 'pending' || state === 'running');
  }

  reasons(): readonly string[] {
    return this.told.decisions.map(({ reason }) => reason);
  }

  seconds(count: number): Promise<void> {
    return this.clock.advance(count * 1000);
  }

  #kubelet(event: InstanceEvent): void {
    const { instance } = event;
    if (this.deaf.has(instance.instanceType)) return;
    const name = `ip-${instance.id}`;
    if (event.kind === 'ended') {
      this.#update(name, { ready: false });
      return;
    }
    if (event.kind === 'rebooted') {
      this.#update(name, { ready: false });
      this.clock.timer(JOIN_MILLIS, () => {
        const cured = this.rebootsCure ? { conditions: [] } : {};
        const bootID = `boot-${String(++this.#boots)}`;
        if (this.bootsAgain) this.#update(name, { ready: true, bootID, ...cured });
      });
      return;
    }
    this.clock.timer(JOIN_MILLIS, () => {
      if (!this.liveInstances().some(({ id }) => id === instance.id)) return;
      this.kube.objects.put('Node', {
        ...observedNode({ name, uid: `uid-${name}-${instance.id}`, createdAt: this.clock.now() }),
        providerID: instance.providerID,
        labels: new Map([...event.labels, ['kubernetes.io/hostname', name]]),
        taints: this.registrationTaints?.(event) ?? (event.taints as readonly Taint[]),
        capacity: new Map([...event.capacity].map(([key, amount]) => [key, amount * this.shareOfCapacity])),
        allocatable: event.allocatable,
        ready: false,
        readySince: undefined,
      });
      if (this.neverReady.has(instance.instanceType)) return;
      this.clock.timer(READY_MILLIS, () => {
        this.#update(name, { ready: true });
      });
    });
  }

  #update(name: string, change: Partial<ObservedNode>): void {
    const node = this.kube.objects.get('Node', name);
    if (node !== undefined) this.kube.objects.put('Node', { ...node, ...change });
  }
}
