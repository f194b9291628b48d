/** Which nodes consolidation moved pods to: it does not move them again while nothing has changed there. */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import { isFinished } from '../../../domain/pods/pod.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { readSurges, wantsSurge, type Surge } from '../../../domain/pods/surge.js';
import type { Clock } from '../../../ports/clock.js';
import { methodOf } from '../../../planning/disrupt/methods.js';
import type { Change } from '../../../state/cluster/store.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { ownerKeyOf } from '../../../state/cluster/owner-key.js';
import { MovedPods } from './moved-pods.js';

/**
 * A pod that leaves a node which goes for consolidation is moved; the next that its owner creates from the same template comes in its
 * place. Where its Deployment has a replica more before it leaves, that one does. What happened before the cluster is followed is not
 * known, so that a new leader may move such a pod once more.
 */
export class OwnMoves {
  readonly #clock: Clock;
  readonly #moved = new MovedPods();
  /** Uid of a pod that is to be moved → the replica more that has come in its place, and since when that was wanted. */
  readonly #replicas = new Map<string, { readonly uid: string; readonly since: number }>();
  /** Uids of pods that come in the place of others and have no node yet. */
  readonly #coming = new Set<string>();
  readonly #times = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Node → when a moved pod last came to it, in milliseconds since 1970; without nodes that a pod has left by itself since. */
  get times(): ReadonlyMap<string, number> {
    return this.#times;
  }

  /** Follows the cluster from now on; answers what ends that. */
  follow(cluster: Cluster): readonly (() => void)[] {
    return [
      cluster.pods.subscribe((change) => {
        this.#onPod(cluster, change);
      }),
      cluster.nodes.subscribe(({ key, after }) => {
        if (after === undefined) this.#times.delete(key);
      }),
    ];
  }

  #onPod(cluster: Cluster, { before, after }: Change<ObservedPod>): void {
    if ((after ?? before)?.owner?.kind === 'DaemonSet') return;
    const same = before?.uid === after?.uid ? after : undefined;
    if (before !== undefined) this.#onBefore(cluster, before, same);
    if (after !== undefined && !after.terminating) this.#onThere(cluster, after, same === undefined);
  }

  /** `now`: the same pod; undefined when it is gone. */
  #onBefore(cluster: Cluster, pod: ObservedPod, now: ObservedPod | undefined): void {
    const left = placeOf(pod);
    if (left !== undefined && left !== placeOf(now)) this.#onLeft(cluster, pod, left);
    if (now !== undefined) return;
    this.#coming.delete(pod.uid);
    this.#replicas.delete(pod.uid);
  }

  #onThere(cluster: Cluster, pod: ObservedPod, isNew: boolean): void {
    if (isNew && this.#replacesMoved(cluster, pod)) this.#coming.add(pod.uid);
    const place = placeOf(pod);
    if (place !== undefined && this.#coming.delete(pod.uid)) this.#times.set(place, this.#clock.now());
  }

  #onLeft(cluster: Cluster, pod: ObservedPod, nodeName: string): void {
    const claim = cluster.claimOfNode(nodeName);
    if (claim?.status.disruption === undefined) {
      this.#times.delete(nodeName);
      return;
    }
    const owner = ownerKeyOf(pod);
    if (owner === undefined || !isConsolidated(claim)) return;
    const surge = readSurges(claim.annotations).find(({ podUID }) => podUID === pod.uid);
    // The replica is taken back once the one that was more is Ready.
    if (surge?.isReturning === true || this.#hasCome(cluster, surge)) return;
    this.#moved.add(owner, this.#clock.now());
  }

  #replacesMoved(cluster: Cluster, pod: ObservedPod): boolean {
    const owner = ownerKeyOf(pod);
    if (owner === undefined) return false;
    if (this.#moved.take(owner, this.#clock.now())) return true;
    const surge = wantsSurge(pod) ? this.#awaitedBy(cluster, owner) : undefined;
    if (surge !== undefined) this.#replicas.set(surge.podUID, { uid: pod.uid, since: surge.since });
    return surge !== undefined;
  }

  /** The move of a pod of this owner that waits for a replica more, which has not come yet. */
  #awaitedBy(cluster: Cluster, owner: string): Surge | undefined {
    for (const claim of cluster.nodeClaims.values()) {
      if (!isConsolidated(claim)) continue;
      for (const surge of readSurges(claim.annotations)) {
        const leaving = surge.isReturning ? undefined : cluster.podByUID(surge.podUID);
        if (leaving === undefined || ownerKeyOf(leaving) !== owner) continue;
        if (!this.#hasCome(cluster, surge)) return surge;
      }
    }
    return undefined;
  }

  /** Whether the replica more is there, which its ReplicaSet replaces otherwise. */
  #hasCome(cluster: Cluster, surge: Surge | undefined): boolean {
    const replica = surge && this.#replicas.get(surge.podUID);
    if (replica === undefined || replica.since !== surge?.since) return false;
    return cluster.podByUID(replica.uid)?.terminating === false;
  }
}

/** Whether its node goes because consolidation decided so. */
function isConsolidated({ status: { disruption } }: NodeClaim): boolean {
  return disruption !== undefined && methodOf(disruption.reason)?.consolidationType !== undefined;
}

/** The node that the pod is at work on; undefined when on none. */
function placeOf(pod: ObservedPod | undefined): string | undefined {
  return pod === undefined || pod.terminating || isFinished(pod) ? undefined : pod.nodeName;
}
