/** The cluster as one answer changes it: commands taken so far are carried out, demand is where it is going to be. */
import {
  CAPACITY_TYPE,
  HOSTNAME,
  INSTANCE_TYPE,
  NODEPOOL,
  ZONE,
  ZONE_ID,
  type Labels,
} from '../../../domain/values/labels.js';
import {
  leastDevices,
  leastVolumeLimits,
  zoneIDOf,
  type InstanceType,
} from '../../../domain/nodes/instance-type.js';
import { isVirtualPod } from '../../../domain/pods/capacity-buffer.js';
import type { Node } from '../../../domain/nodes/node.js';
import { podKey, type Pod, type PodSpec } from '../../../domain/pods/pod.js';
import type { PlannedClaim, Placement, Plan } from '../../plan.js';
import {
  type ClusterInput,
  offersAfter,
  offersWithRoom,
  type PoolOffer,
  typesOffered,
} from '../../snapshot/cluster-input.js';
import { buildSnapshot } from '../../snapshot/build-snapshot.js';
import { SnapshotCache } from '../../snapshot/snapshot-cache.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { specKey } from '../../snapshot/spec-key.js';
import { isMovable } from '../../../domain/pods/movable-pods.js';
import { closedNode, SnapshotView, type PodHomes } from '../../snapshot/snapshot-view.js';

/** What a command does to the cluster. */
export interface Change {
  readonly nodes: readonly string[];
  readonly claims: readonly PlannedClaim[];
  readonly placements: readonly Placement[];
}

const NO_NODES: ReadonlySet<string> = new Set();

export class ClusterView {
  #base: ClusterInput;
  readonly #cache: SnapshotCache;
  readonly #offers: ReadonlyMap<string, PoolOffer>;
  readonly #nodes: Map<string, Node>;
  /** Node → its pods. */
  readonly #pods = new Map<string, Pod[]>();
  readonly #pending: readonly Pod[];
  /** Those of them that no node has room for, as far as is known; without those of CapacityBuffers. */
  #waiting: readonly Pod[];
  readonly #receiving = new Map<string, string>();
  /** Of the cluster as it is now. */
  #snapshots: SnapshotView | undefined;
  /** Commands that are not carried out yet: the last of an answer need not be. */
  readonly #due: Change[] = [];
  #revision = 0;

  constructor(cluster: ClusterInput, cache = new SnapshotCache()) {
    this.#base = cluster;
    this.#cache = cache;
    this.#offers = new Map(cluster.pools.map((offer) => [offer.pool.name, offer]));
    this.#nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
    const pods = withSharedSpecs([...cluster.pods].sort(byKey));
    for (const pod of pods) if (pod.nodeName !== undefined) this.#put(pod, pod.nodeName);
    this.#pending = pods.filter(({ nodeName }) => nodeName === undefined);
    this.#waiting = this.#pending.filter((pod) => !isVirtualPod(pod));
  }

  #put(pod: Pod, nodeName: string): void {
    const pods = this.#pods.get(nodeName) ?? [];
    pods.push(pod);
    this.#pods.set(nodeName, pods);
  }

  /** Another one for each change of the cluster. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether pods wait for a place. */
  get hasDemand(): boolean {
    return this.#pending.length > 0;
  }

  /** Whether pods wait that no node has room for. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Pods of a node that would have to move. */
  movable(nodeName: string): readonly Pod[] {
    return this.podsOf(nodeName).filter(isMovable);
  }

  podsOf(nodeName: string): readonly Pod[] {
    this.#catchUp();
    return this.#pods.get(nodeName) ?? [];
  }

  has(nodeName: string): boolean {
    this.#catchUp();
    return this.#nodes.has(nodeName);
  }

  /** A pod that is to come to the node by what has been taken; undefined when none is. */
  receives(nodeName: string): string | undefined {
    this.#catchUp();
    return this.#receiving.get(nodeName);
  }

  /** With the pods that wait, which `without` leaves out: they are looked after otherwise. */
  withDemand(closed: ReadonlySet<string>): Snapshot {
    this.#catchUp();
    const nodes = [...this.#nodes.values()].map((node) => (closed.has(node.name) ? closedNode(node) : node));
    return buildSnapshot({ ...this.#base, nodes, pods: [...this.#bound(), ...this.#pending] }, this.#cache);
  }

  /** The cluster as it is now, without the pods that wait; another one for each change. */
  get running(): SnapshotView {
    this.#catchUp();
    this.#snapshots ??= new SnapshotView(
      { ...this.#base, nodes: [...this.#nodes.values()], pods: this.#bound() },
      this.#cache,
    );
    return this.#snapshots;
  }

  /** Whether pods are on their way from one of the nodes to others. */
  isBeingLeft(nodeNames: ReadonlySet<string>): boolean {
    return [...nodeNames].some((name) => this.podsOf(name).some(leaves));
  }

  /** The cluster without a node, whose pods ask for a place, once pods that leave the nodes of `emptied` have left. */
  onceLeft(removed: string, closed: ReadonlySet<string>, emptied: ReadonlySet<string>): Snapshot {
    return buildSnapshot(withoutLeavers(this.#left(removed, closed), emptied), this.#cache);
  }

  /** The same with a new node that takes its pods, as the nodes do that are not closed. */
  withInstead(
    removed: string,
    closed: ReadonlySet<string>,
    claim: PlannedClaim,
    emptied = NO_NODES,
  ): Snapshot {
    const left = withoutLeavers(this.#left(removed, closed), emptied);
    const instead = nodeOfClaim(claim, this.#offers.get(claim.nodePool));
    return buildSnapshot({ ...left, nodes: [...left.nodes, instead] }, this.#cache);
  }

  /** The cluster without a node, whose instance is no longer in its capacity reservation. */
  withRoomInReservation(removed: string, closed: ReadonlySet<string>, reservationID: string): Snapshot {
    const left = this.#left(removed, closed);
    return buildSnapshot({ ...left, pools: offersWithRoom(left.pools, reservationID) }, this.#cache);
  }

  /** The same with the pods that wait, and that no node has room for, in place of those of the node. */
  waitingForReservation(removed: string, closed: ReadonlySet<string>, reservationID: string): Snapshot {
    const left = this.#left(removed, closed, this.#waiting);
    return buildSnapshot({ ...left, pools: offersWithRoom(left.pools, reservationID) }, this.#cache);
  }

  #left(
    removed: string,
    closed: ReadonlySet<string>,
    moving: readonly Pod[] = this.movable(removed).map(rejoining),
  ): ClusterInput {
    this.#catchUp();
    const staying = [...this.#nodes.values()].filter(({ name }) => name !== removed);
    const nodes = staying.map((node) => (closed.has(node.name) ? closedNode(node) : node));
    const bound = staying.flatMap(({ name }) => this.podsOf(name));
    return { ...this.#base, nodes, pods: [...bound, ...moving] };
  }

  /** The cluster as it is now, without the pods that wait, its movable pods off their nodes. */
  homes(): PodHomes {
    return this.running.homes();
  }

  #bound(): readonly Pod[] {
    return [...this.#nodes.keys()].flatMap((name) => this.podsOf(name));
  }

  /**
   * Binds waiting pods that the plan has found room for on nodes that exist. Those of CapacityBuffers are there as any pod that runs: they
   * keep no node, but their room has to be somewhere.
   */
  bindDemand({ placements }: Plan): void {
    this.#catchUp();
    this.#revision++;
    this.#snapshots = undefined;
    const waiting = new Map(this.#pending.map((pod) => [podKey(pod), pod]));
    const placed = new Set(placements.flatMap(({ pod, target }) => (target.kind === 'Node' ? [pod] : [])));
    this.#waiting = this.#waiting.filter((pod) => !placed.has(podKey(pod)));
    for (const { pod: key, target } of placements) {
      const pod = waiting.get(key);
      if (pod === undefined || target.kind !== 'Node') continue;
      if (isVirtualPod(pod)) this.#put({ ...pod, nodeName: target.name }, target.name);
      else this.#receive(pod, target.name);
    }
  }

  /** Carries a command out: new claims are there and have no room for others. */
  apply(change: Change): void {
    this.#revision++;
    this.#due.push(change);
  }

  #catchUp(): void {
    for (const change of this.#due.splice(0)) this.#carryOut(change);
  }

  #carryOut({ nodes, claims, placements }: Change): void {
    const moving = new Map(
      nodes
        .flatMap((name) => (this.#pods.get(name) ?? []).filter(isMovable))
        .map((pod) => [podKey(pod), pod]),
    );
    this.#snapshots = undefined;
    this.#base = { ...this.#base, pools: offersAfter(this.#base.pools, claims) };
    for (const name of nodes) {
      this.#nodes.delete(name);
      this.#pods.delete(name);
    }
    for (const claim of claims) {
      const node = closedNode(nodeOfClaim(claim, this.#offers.get(claim.nodePool)));
      this.#nodes.set(node.name, node);
    }
    for (const { pod: key, target } of placements) {
      const pod = moving.get(key);
      if (pod !== undefined) this.#receive(pod, target.name);
    }
  }

  #receive(pod: Pod, nodeName: string): void {
    this.#snapshots = undefined;
    this.#put({ ...rejoining(pod), nodeName }, nodeName);
    this.#receiving.set(nodeName, podKey(pod));
  }
}

/** Without the pods that leave these nodes: topology rules count them while they are there. */
function withoutLeavers(cluster: ClusterInput, emptied: ReadonlySet<string>): ClusterInput {
  if (emptied.size === 0) return cluster;
  const isGone = (pod: Pod): boolean => leaves(pod) && emptied.has(pod.nodeName ?? '');
  return { ...cluster, pods: cluster.pods.filter((pod) => !isGone(pod)) };
}

function leaves({ move }: Pod): boolean {
  return move === 'leaves';
}

/** A pod that its owner creates again once it is evicted. */
function rejoining(pod: Pod): Pod {
  return { ...pod, nodeName: undefined, phase: 'Pending', terminating: false };
}

function byKey(left: Pod, right: Pod): number {
  return podKey(left) < podKey(right) ? -1 : 1;
}

/** Equal specs as one object: each plan then compares them once. */
function withSharedSpecs(pods: readonly Pod[]): readonly Pod[] {
  const byKey = new Map<string, PodSpec>();
  const shared = new Map<PodSpec, PodSpec>();
  return pods.map((pod) => {
    const known = shared.get(pod.spec);
    if (known !== undefined) return known === pod.spec ? pod : { ...pod, spec: known };
    const key = specKey(pod.spec);
    const spec = byKey.get(key) ?? pod.spec;
    byKey.set(key, spec);
    shared.set(pod.spec, spec);
    return spec === pod.spec ? pod : { ...pod, spec };
  });
}

/** What is certain of the node that a claim becomes. */
function nodeOfClaim(claim: PlannedClaim, offer: PoolOffer | undefined): Node {
  const offered = offer === undefined ? [] : typesOffered(offer, claim.chosenLabels);
  const types = offered.filter(({ name }) => claim.instanceTypes.includes(name));
  const [first, ...others] = types;
  const common = [...(first?.labels ?? [])].filter(([key, value]) =>
    others.every(({ labels }) => labels.get(key) === value),
  );
  const labels: Labels = new Map([
    ...common,
    ...(offer?.pool.template.labels ?? []),
    ...claim.chosenLabels,
    [NODEPOOL, claim.nodePool],
    [HOSTNAME, claim.name],
    ...only(ZONE, claim.zones),
    ...onlyZoneID(claim.zones, types),
    ...only(CAPACITY_TYPE, claim.capacityTypes),
    ...only(INSTANCE_TYPE, claim.instanceTypes),
  ]);
  return {
    name: claim.name,
    labels,
    taints: offer?.pool.template.taints ?? [],
    unschedulable: false,
    allocatable: claim.allocatable,
    capacity: first?.capacity ?? claim.allocatable,
    providerID: undefined,
    volumeLimits: leastVolumeLimits(types),
    devices: leastDevices(types),
    declaredFeatures: undefined,
  };
}

function onlyZoneID(
  [zone, ...others]: readonly string[],
  types: readonly InstanceType[],
): readonly (readonly [string, string])[] {
  const id = others.length === 0 ? zoneIDOf(types, zone) : undefined;
  return id === undefined ? [] : [[ZONE_ID, id]];
}

function only(key: string, values: readonly string[]): readonly (readonly [string, string])[] {
  const [value, ...others] = values;
  return value === undefined || others.length > 0 ? [] : [[key, value]];
}
