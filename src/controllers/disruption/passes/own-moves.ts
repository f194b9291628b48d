/** Which nodes consolidation moved pods to: it does not move them again while nothing has changed there. */
import { isFinished } from '../../../domain/pods/pod.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import type { Clock } from '../../../ports/clock.js';
import { methodOf } from '../../../planning/disrupt/methods.js';
import type { Change } from '../../../state/cluster/store.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { ownerKeyOf } from '../../../state/cluster/owner-key.js';

/** A pod that does not come in the place of one that was moved by then comes for another reason. */
const COMES_WITHIN_MILLIS = 600_000;

/**
 * A pod that leaves a node which goes for consolidation is moved; the next that its owner creates from the same template comes in its
 * place. What happened before the cluster is followed is not known, so that a new leader may move such a pod once more.
 */
export class OwnMoves {
  readonly #clock: Clock;
  /** Owner and template → when pods of it were moved that none has come in the place of yet, the first first. */
  readonly #leaving = new Map<string, number[]>();
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
    if (after !== undefined && !after.terminating) this.#onThere(after, same === undefined);
  }

  /** `now`: the same pod; undefined when it is gone. */
  #onBefore(cluster: Cluster, pod: ObservedPod, now: ObservedPod | undefined): void {
    const left = placeOf(pod);
    if (now === undefined) this.#coming.delete(pod.uid);
    if (left !== undefined && left !== placeOf(now)) this.#onLeft(cluster, pod, left);
  }

  #onThere(pod: ObservedPod, isNew: boolean): void {
    if (isNew && this.#replacesMoved(pod)) this.#coming.add(pod.uid);
    const place = placeOf(pod);
    if (place !== undefined && this.#coming.delete(pod.uid)) this.#times.set(place, this.#clock.now());
  }

  #onLeft(cluster: Cluster, pod: ObservedPod, nodeName: string): void {
    const reason = cluster.claimOfNode(nodeName)?.status.disruption?.reason;
    if (reason === undefined) {
      this.#times.delete(nodeName);
      return;
    }
    const owner = ownerKeyOf(pod);
    if (owner === undefined || methodOf(reason)?.consolidationType === undefined) return;
    this.#leaving.set(owner, [...(this.#leaving.get(owner) ?? []), this.#clock.now()]);
  }

  #replacesMoved(pod: ObservedPod): boolean {
    const owner = ownerKeyOf(pod);
    if (owner === undefined) return false;
    const earliest = this.#clock.now() - COMES_WITHIN_MILLIS;
    const [first, ...others] = (this.#leaving.get(owner) ?? []).filter((at) => at >= earliest);
    if (others.length > 0) this.#leaving.set(owner, others);
    else this.#leaving.delete(owner);
    return first !== undefined;
  }
}

/** The node that the pod is at work on; undefined when on none. */
function placeOf(pod: ObservedPod | undefined): string | undefined {
  return pod === undefined || pod.terminating || isFinished(pod) ? undefined : pod.nodeName;
}
