/**
 * The cluster as it would be if Berth managed the nodes of another system: the same pods, on the nodes that Berth would have. It
 * begins with the nodes as they are. From then on pods come and go as they do in the cluster, and nodes as plans say.
 */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isBoundToItsNode } from '../../domain/pods/movable-pods.js';
import { podKey } from '../../domain/pods/pod.js';
import { methodOf } from '../../planning/disrupt/methods.js';
import type { DisruptionCommand } from '../../planning/disrupt/question/disruption.js';
import type { PlannedClaim, Placement } from '../../planning/plan.js';
import { typesOffered, type PoolOffer } from '../../planning/snapshot/cluster-input.js';
import { observedKey, type ObservedKind } from '../../ports/cluster-feed.js';
import type { Clock } from '../../ports/clock.js';
import type { Random } from '../../ports/random.js';
import { deviceKinds } from '../../state/planning/plan-input.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { ownerKeyOf } from '../../state/cluster/owner-key.js';
import { draftClaims } from '../provisioning/draft-claims.js';
import { isGoing, launched, takenOver, type Bought, type ModelNode } from './model-nodes.js';

export interface ModelClusterOptions {
  /** As it is. */
  readonly source: Cluster;
  /** Empty; becomes the cluster as it would be. */
  readonly model: Cluster;
  /** What the node was bought as, where a system launched it that is observed. */
  readonly boughtAs: (node: ObservedNode) => Bought | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Kinds that are the same in both. */
const SHARED = [
  'Namespace',
  'DaemonSet',
  'Workload',
  'Service',
  'PodGroup',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'HorizontalPodAutoscaler',
  'PolicyConfigMap',
  'PolicyStatus',
] as const satisfies readonly ObservedKind[];

/**
 * From the decision to remove a node until its instance is no longer paid for: the termination itself, before it the end of its pods,
 * where there are any, and before that the start of what replaces it.
 */
const END_MILLIS = 10_000;
const START_MILLIS = 60_000;
/** How long pods took to end is taken from so many that ended last: about as many as a node has. */
const ENDED_PODS = 10;
/** While none has: their grace period, unless they say another. */
const GRACE_MILLIS = 30_000;

/** Why a pod has no node in the model: as kube-scheduler would say it. */
const WAITING = { status: false, reason: 'Unschedulable', message: '' };

export class ModelCluster {
  readonly #options: ModelClusterOptions;
  /** Uid of a pod → its node in the model. */
  readonly #places = new Map<string, string>();
  /** Pods that live on under the name of another. */
  readonly #replaced = new Set<string>();
  /** Nodes that were taken over. */
  readonly #taken = new Set<string>();
  /** Nodes that go → when they are gone. */
  readonly #going = new Map<string, number>();
  /** Node → when a pod last came or went, in milliseconds since 1970. */
  readonly #podEvents = new Map<string, number>();
  /** Node → when consolidation last moved a pod to it, unless a pod has left it by itself since. */
  readonly #movesTo = new Map<string, number>();
  /** Uid of a pod that ends → since when, in milliseconds since 1970. */
  readonly #ending = new Map<string, number>();
  /** How long pods took to end that the cluster has lost last, in milliseconds. */
  readonly #ended: number[] = [];
  /** Nodes that should empty out → their rank, the first first. */
  #emptying: ReadonlyMap<string, number> = new Map();
  #pools: ReadonlyMap<string, NodePool> = new Map();

  constructor(options: ModelClusterOptions) {
    this.#options = options;
  }

  get podEvents(): ReadonlyMap<string, number> {
    return this.#podEvents;
  }

  get movesTo(): ReadonlyMap<string, number> {
    return this.#movesTo;
  }

  /** Names of nodes that should empty out, the first first: pods that are scaled in go from these. */
  set emptying(nodes: readonly string[]) {
    this.#emptying = new Map(nodes.map((name, rank) => [name, rank]));
  }

  /** Takes everything in, and follows the cluster from now on; answers what ends that. */
  follow(): readonly (() => void)[] {
    const { source } = this.#options;
    const shared = [...SHARED, ...deviceKinds(source)].map((kind) => this.#share(kind));
    for (const node of source.nodes.values()) this.#onNode(node.name, node);
    for (const pod of source.pods.values()) this.#onPod(podKey(pod), undefined, pod);
    return [
      ...shared,
      source.nodes.subscribe(({ key, after }) => {
        this.#onNode(key, after);
      }),
      source.pods.subscribe(({ key, before, after }) => {
        this.#onPod(key, before, after);
      }),
    ];
  }

  /** Takes over the nodes of pools that were not known before, and lets nodes go whose time is over. */
  advance(pools: readonly NodePool[]): void {
    this.#pools = new Map(pools.map((pool) => [pool.name, pool]));
    for (const node of this.#options.source.nodes.values()) this.#takeOver(node);
    const now = this.#options.clock.now();
    for (const [name, until] of this.#going) if (until <= now) this.#remove(name);
  }

  /** Launches the claims of a plan and places its pods. Answers the nodes that were launched. */
  place(
    {
      claims,
      placements,
    }: { readonly claims: readonly PlannedClaim[]; readonly placements: readonly Placement[] },
    offers: readonly PoolOffer[],
  ): readonly ModelNode[] {
    const names = new Map<string, string>();
    const nodes = claims.flatMap((planned) => {
      const made = this.#launch(planned, offers);
      if (made !== undefined) names.set(planned.name, made.node.name);
      return made ?? [];
    });
    const { pods } = this.#options.source;
    for (const { pod: key, target } of placements) {
      const pod = pods.get(key);
      const name = target.kind === 'Node' ? target.name : names.get(target.name);
      if (pod !== undefined && name !== undefined) this.#move(pod, name);
    }
    return nodes;
  }

  /** Carries a command out. Answers the nodes that were launched. */
  disrupt(command: DisruptionCommand, offers: readonly PoolOffer[]): readonly ModelNode[] {
    const { model, clock } = this.#options;
    const now = clock.now();
    const { nodes, placements, unplaced, claims, reason } = command;
    const hasPods = placements.length + unplaced.length > 0;
    const drainMillis = hasPods ? Math.max(...(this.#ended.length > 0 ? this.#ended : [GRACE_MILLIS])) : 0;
    const lasts = END_MILLIS + drainMillis + (claims.length > 0 ? START_MILLIS : 0);
    for (const key of unplaced) {
      const pod = this.#options.source.pods.get(key);
      if (pod !== undefined) this.#move(pod, undefined);
    }
    const started = this.place(command, offers);
    if (methodOf(reason)?.consolidationType !== undefined) this.#rememberMoves(command);
    for (const name of nodes) {
      const claim = model.claimOfNode(name);
      if (claim === undefined) continue;
      this.#put('NodeClaim', {
        ...claim,
        status: { ...claim.status, disruption: { reason, decidedAt: now } },
      });
      this.#going.set(name, now + lasts);
    }
    return started;
  }

  #rememberMoves({ placements }: DisruptionCommand): void {
    for (const { pod } of placements) {
      const moved = this.#options.source.pods.get(pod);
      const place = moved && this.#places.get(moved.uid);
      if (place !== undefined) this.#movesTo.set(place, this.#options.clock.now());
    }
  }

  #share(kind: ObservedKind): () => void {
    const { source, model } = this.#options;
    const store = source.store(kind);
    for (const object of store.values()) model.adopt(kind, observedKey(kind, object), object);
    return store.subscribe(({ key, after }) => {
      model.adopt(kind, key, after);
    });
  }

  /** A node of the observed system is as it was taken over; later ones of it are not in the model. */
  #onNode(name: string, node: ObservedNode | undefined): void {
    if (this.#taken.has(name)) {
      if (node !== undefined && !isGoing(node)) this.#takeOver(node);
    } else if (node === undefined || !this.#isManaged(node)) this.#options.model.adopt('Node', name, node);
  }

  #isManaged(node: ObservedNode): boolean {
    const bought = this.#options.boughtAs(node);
    return bought !== undefined && this.#pools.has(bought.nodePool);
  }

  /** Only nodes that the model has: those that join once their pool is known are the other system's answer, not Berth's. */
  #takeOver(observed: ObservedNode): void {
    const { model, boughtAs, clock } = this.#options;
    const { name, uid } = observed;
    const bought = boughtAs(observed);
    const pool = bought && this.#pools.get(bought.nodePool);
    if (bought === undefined || pool === undefined || model.nodes.get(name)?.uid !== uid) return;
    const made = takenOver(observed, bought, pool, clock.now());
    if (!this.#taken.has(name)) this.#put('NodeClaim', made.claim);
    this.#taken.add(name);
    this.#put('Node', made.node);
  }

  #remove(name: string): void {
    const { model, source } = this.#options;
    const claim = model.claimOfNode(name);
    this.#going.delete(name);
    for (const { namespace, name: podName } of model.podsOn(name)) {
      const key = `${namespace}/${podName}`;
      const pod = source.pods.get(key);
      if (pod === undefined || isBoundToItsNode(pod)) model.adopt('Pod', key, undefined);
      else this.#move(pod, undefined);
    }
    this.#podEvents.delete(name);
    this.#movesTo.delete(name);
    if (claim !== undefined) model.adopt('NodeClaim', claim.name, undefined);
    model.adopt('Node', name, undefined);
  }

  #launch(planned: PlannedClaim, offers: readonly PoolOffer[]): ModelNode | undefined {
    const { model, random, clock } = this.#options;
    const offer = offers.find(({ pool }) => pool.name === planned.nodePool);
    if (offer === undefined) return undefined;
    const wanted = { planned, pool: offer.pool, types: typesOffered(offer, planned.chosenLabels), pods: [] };
    const [draft] = draftClaims([wanted], random, (name) => model.nodeClaims.get(name) !== undefined);
    const nodesIn = (zone: string): number => countIn(model, planned.nodePool, zone);
    const made = draft && launched(draft.claim, { planned, offer }, { now: clock.now(), nodesIn });
    if (made === undefined) return undefined;
    this.#put('NodeClaim', made.claim);
    this.#put('Node', made.node);
    return made;
  }

  #onPod(key: string, before: ObservedPod | undefined, after: ObservedPod | undefined): void {
    this.#timeEnd(before, after);
    if (before !== undefined && before.uid !== after?.uid) this.#forget(key, before);
    if (after === undefined || this.#replaced.has(after.uid)) return;
    if (before?.uid !== after.uid) this.#takePlaceOfMoved(after);
    // It is where it was until it is replaced.
    if (!this.#isMoved(after)) this.#show(after);
  }

  #timeEnd(before: ObservedPod | undefined, after: ObservedPod | undefined): void {
    const now = this.#options.clock.now();
    if (after?.terminating === true && !this.#ending.has(after.uid)) this.#ending.set(after.uid, now);
    if (before === undefined || before.uid === after?.uid) return;
    const since = this.#ending.get(before.uid);
    this.#ending.delete(before.uid);
    if (since === undefined) return;
    // One that a lost kubelet keeps says nothing of others.
    this.#ended.push(Math.min(now - since, before.terminationGracePeriodSeconds * 1000));
    if (this.#ended.length > ENDED_PODS) this.#ended.shift();
  }

  #forget(key: string, pod: ObservedPod): void {
    if (!this.#replaced.delete(pod.uid)) this.#left(pod);
    this.#places.delete(pod.uid);
    this.#options.model.adopt('Pod', key, undefined);
  }

  /** Whether the other system moves the pod, which Berth would not have done. */
  #isMoved({ uid, terminating, nodeName, owner }: ObservedPod): boolean {
    if (!terminating || owner === undefined || !this.#places.has(uid)) return false;
    const node = nodeName === undefined ? undefined : this.#options.source.nodes.get(nodeName);
    return node === undefined || (isGoing(node) && this.#isManaged(node));
  }

  /** The pod that replaces one that is moved has its place. */
  #takePlaceOfMoved(pod: ObservedPod): void {
    const { source, model } = this.#options;
    const owner = ownerKeyOf(pod);
    const ofOwner = owner === undefined ? [] : source.podsOf(owner);
    const moved = ofOwner.find((other) => !this.#replaced.has(other.uid) && this.#isMoved(other));
    const place = moved && this.#places.get(moved.uid);
    if (moved === undefined || place === undefined) return;
    this.#replaced.add(moved.uid);
    this.#places.delete(moved.uid);
    model.adopt('Pod', podKey(moved), undefined);
    this.#places.set(pod.uid, place);
  }

  #show(pod: ObservedPod): void {
    const { model } = this.#options;
    const isEnding = pod.terminating && model.podByUID(pod.uid)?.terminating === false;
    if (isEnding) this.#endWhereBerthWould(pod);
    const place = this.#placeOf(pod);
    const isHidden = isBoundToItsNode(pod) && place === undefined;
    if (isHidden) model.adopt('Pod', podKey(pod), undefined);
    else this.#put('Pod', asPlaced(pod, place));
    if (isEnding) this.#left(pod);
  }

  /**
   * Which of its pods a controller ends, Berth would have decided by their deletion cost: the pod changes places with the one that
   * would have ended instead.
   */
  #endWhereBerthWould(pod: ObservedPod): void {
    const { source } = this.#options;
    const owner = ownerKeyOf(pod);
    const place = this.#places.get(pod.uid);
    if (owner === undefined || place === undefined || this.#emptying.size === 0) return;
    const rankOf = ({ uid }: ObservedPod): number =>
      this.#emptying.get(this.#places.get(uid) ?? '') ?? Infinity;
    let other = pod;
    for (const each of source.podsOf(owner))
      if (!each.terminating && rankOf(each) < rankOf(other)) other = each;
    const otherPlace = this.#places.get(other.uid);
    if (other === pod || otherPlace === undefined) return;
    this.#places.set(pod.uid, otherPlace);
    this.#places.set(other.uid, place);
    this.#put('Pod', asPlaced(other, place));
  }

  /** Its node in the model. Where a pod is in the cluster counts only on nodes that are the same here and there. */
  #placeOf({ uid, nodeName, ...pod }: ObservedPod): string | undefined {
    const known = this.#places.get(uid);
    if (known !== undefined || nodeName === undefined) return known;
    const isThere = this.#options.model.nodes.get(nodeName) !== undefined;
    if (isBoundToItsNode(pod)) return isThere ? nodeName : undefined;
    if (!isThere || this.#taken.has(nodeName)) return undefined;
    this.#places.set(uid, nodeName);
    return nodeName;
  }

  #move(pod: ObservedPod, nodeName: string | undefined): void {
    this.#touch(pod);
    if (nodeName === undefined) this.#places.delete(pod.uid);
    else this.#places.set(pod.uid, nodeName);
    this.#touch(pod);
    this.#put('Pod', asPlaced(pod, nodeName));
  }

  /** A pod left its node by itself. */
  #left(pod: ObservedPod): void {
    this.#touch(pod);
    this.#movesTo.delete(this.#places.get(pod.uid) ?? '');
  }

  /** A pod came to its node or left it. */
  #touch(pod: ObservedPod): void {
    const place = this.#places.get(pod.uid);
    if (place !== undefined) this.#podEvents.set(place, this.#options.clock.now());
  }

  #put(kind: 'NodeClaim', object: NodeClaim): void;
  #put(kind: 'Node', object: ObservedNode): void;
  #put(kind: 'Pod', object: ObservedPod): void;
  #put(kind: 'NodeClaim' | 'Node' | 'Pod', object: NodeClaim | ObservedNode | ObservedPod): void {
    this.#options.model.adopt(kind, observedKey(kind, object), object);
  }
}

function countIn(model: Cluster, nodePool: string, zone: string): number {
  let count = 0;
  for (const { spec, status } of model.nodeClaims.values())
    if (spec.nodePool === nodePool && status.zone === zone) count++;
  return count;
}

/** A pod that has a node in the cluster and none in the model waits for one. */
function asPlaced(pod: ObservedPod, nodeName: string | undefined): ObservedPod {
  const isWaiting = nodeName === undefined && pod.nodeName !== undefined;
  return { ...pod, nodeName, nominatedNodeName: undefined, scheduled: isWaiting ? WAITING : pod.scheduled };
}
