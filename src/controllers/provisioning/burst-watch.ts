/** Tells when a burst of pods is complete: every owner has made its pods, and kube-scheduler has looked at each. */
import { isFinished } from '../../domain/pods/pod.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Workload } from '../../domain/pods/workload.js';
import type { Clock } from '../../ports/clock.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { verdictOn } from '../../state/planning/demand.js';
import type { Change } from '../../state/cluster/store.js';

/** Pods without an owner whose number of replicas is known. */
const NO_OWNER = '';
/** A workload that has stood still for so long waits for something else: a quota, its first pod, a Job that failed. */
const GROWING_MILLIS = 2000;

export interface BurstWatchOptions {
  readonly cluster: Cluster;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface OwnerPods {
  /** Pods that are neither finished nor terminating. */
  live: number;
  /** Those of them that kube-scheduler has not judged yet. */
  unjudged: number;
}

export class BurstWatch {
  readonly #cluster: Cluster;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #pods = new Map<string, OwnerPods>();
  /** Workloads whose controller has still to create pods, and when they last changed. */
  readonly #growing = new Map<string, number>();
  /** Owners of the pods in the batch, and which of them are not complete. */
  readonly #owners = new Set<string>();
  readonly #open = new Set<string>();

  constructor({ cluster, clock }: BurstWatchOptions) {
    this.#cluster = cluster;
    this.#clock = clock;
    for (const pod of cluster.pods.values()) this.#count(pod, 1);
  }

  podChanged({ before, after }: Change<ObservedPod>): void {
    if (before !== undefined) this.#count(before, -1);
    if (after !== undefined) this.#count(after, 1);
    const pod = after ?? before;
    if (pod !== undefined) this.#judge(ownerOf(pod));
  }

  workloadChanged({ key, after }: Change<Workload>): void {
    if (after !== undefined && after.createdPods < after.wantedPods)
      this.#growing.set(key, this.#clock.monotonic());
    else this.#growing.delete(key);
    this.#judge(key);
  }

  /** The pod is in the batch that is being gathered. */
  gathered(pod: ObservedPod): void {
    const owner = ownerOf(pod);
    this.#owners.add(owner);
    this.#judge(owner);
  }

  /** Whether the batch has pods, and nothing says that more are to come. */
  isComplete(): boolean {
    return this.#owners.size > 0 && this.#open.size === 0 && !this.#isAnyGrowing();
  }

  /** The batch is closed; what is gathered from now on belongs to the next. */
  reset(): void {
    this.#owners.clear();
    this.#open.clear();
  }

  #judge(owner: string): void {
    if (!this.#owners.has(owner)) return;
    const { live = 0, unjudged = 0 } = this.#pods.get(owner) ?? {};
    // Exactly: with more pods than wanted, what is known of the owner is older than its pods.
    const isWhole = this.#cluster.workloads.get(owner)?.wantedPods === live && unjudged === 0;
    if (isWhole) this.#open.delete(owner);
    else this.#open.add(owner);
  }

  #isAnyGrowing(): boolean {
    const now = this.#clock.monotonic();
    for (const [key, changedAt] of this.#growing)
      if (now - changedAt >= GROWING_MILLIS) this.#growing.delete(key);
    return this.#growing.size > 0;
  }

  #count(pod: ObservedPod, sign: 1 | -1): void {
    if (pod.terminating || isFinished(pod)) return;
    const owner = ownerOf(pod);
    if (owner === NO_OWNER) return;
    const pods = this.#pods.get(owner) ?? { live: 0, unjudged: 0 };
    pods.live += sign;
    if (verdictOn(pod, this.#cluster.demandTerms) === 'Unjudged') pods.unjudged += sign;
    if (pods.live === 0) this.#pods.delete(owner);
    else this.#pods.set(owner, pods);
  }
}

/** As the store of workloads is keyed. */
function ownerOf({ namespace, owner }: ObservedPod): string {
  return owner === undefined ? NO_OWNER : `${owner.kind}/${namespace}/${owner.name}`;
}
