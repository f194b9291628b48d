/** How long pods wait: to be planned, to be bound, to be ready. A pod is followed from when it is first seen pending. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isFinished } from '../../domain/pods/pod.js';
import type { Change } from '../../state/cluster/store.js';
import type { GaugeGroup, MeasuringContext } from './measuring-context.js';

/** Times in milliseconds since 1970. */
interface Waiting {
  readonly pod: ObservedPod;
  readonly seenAt: number;
  /** When it was first planned, with or without a place. */
  readonly decidedAt?: number | undefined;
  /** When a plan first had a place for it. */
  readonly placedAt?: number | undefined;
}

/** Pods with gauges of their own in `bounded` detail. */
const MOST_PODS = 100;

/** Where provisioning tells what it has planned. */
export type PlannedPods = Pick<PodTimes, 'planned'>;

export class PodTimes {
  readonly #context: Pick<MeasuringContext, 'clock' | 'metrics'>;
  /** By UID, the one that was seen first before all others. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(context: Pick<MeasuringContext, 'clock' | 'metrics'>) {
    this.#context = context;
  }

  /** Pods that are there when following them begins. */
  begin(pods: Iterable<ObservedPod>): void {
    const pending = [...pods].filter((pod) => pod.phase === 'Pending');
    for (const pod of pending.sort((one, other) => one.createdAt - other.createdAt)) this.#see(pod);
  }

  changed({ before, after }: Change<ObservedPod>): void {
    const isNew = before?.uid !== after?.uid;
    if (before !== undefined && isNew) this.#waiting.delete(before.uid);
    if (after === undefined) return;
    const waiting = this.#waiting.get(after.uid);
    if (waiting !== undefined) this.#advanced(waiting, after);
    else if (isNew && after.phase === 'Pending') this.#see(after);
  }

  #advanced(waiting: Waiting, after: ObservedPod): void {
    if (waiting.pod.nodeName === undefined && after.nodeName !== undefined) this.#bound(waiting);
    if (isFinished(after)) this.#waiting.delete(after.uid);
    else if (after.ready) this.#started(waiting);
    else this.#waiting.set(after.uid, { ...waiting, pod: after });
  }

  /** These pods were planned; `unplaced` are the UIDs of those without a place. */
  planned(pods: readonly ObservedPod[], unplaced: ReadonlySet<string>): void {
    const { clock, metrics } = this.#context;
    const now = clock.now();
    for (const { uid } of pods) {
      const waiting = this.#waiting.get(uid);
      if (waiting === undefined) continue;
      if (waiting.decidedAt === undefined)
        metrics.podsDecisionDuration.observe((now - waiting.seenAt) / 1000);
      const placedAt = waiting.placedAt ?? (unplaced.has(uid) ? undefined : now);
      this.#waiting.set(uid, { ...waiting, decidedAt: waiting.decidedAt ?? now, placedAt });
    }
  }

  /** The gauges of pods that wait. */
  readonly gauges: GaugeGroup = {
    reset: (metrics) => {
      for (const gauge of [metrics.podsUnstarted, metrics.podsUnbound, metrics.podsUndecided]) gauge.reset();
      for (const gauge of [metrics.podsProvisioningUnstarted, metrics.podsProvisioningUnbound]) gauge.reset();
    },
    measure: ({ detail }) => {
      let left = detail === 'full' ? Infinity : MOST_PODS;
      for (const waiting of this.#waiting.values()) {
        if (left-- <= 0) break;
        this.#measure(waiting);
      }
    },
  };

  #measure({ pod, seenAt, decidedAt, placedAt }: Waiting): void {
    const { clock, metrics } = this.#context;
    const now = clock.now();
    const { name, namespace } = pod;
    const labels = { name, namespace };
    const unbound = { ...labels, ...dynamicResources(pod) };
    const isBound = pod.nodeName !== undefined;
    const sinceCreation = secondsBetween(pod.createdAt, now);
    metrics.podsUnstarted.set(labels, sinceCreation);
    if (!isBound) metrics.podsUnbound.set(unbound, sinceCreation);
    if (!isBound && decidedAt === undefined) metrics.podsUndecided.set(labels, secondsBetween(seenAt, now));
    if (placedAt === undefined) return;
    metrics.podsProvisioningUnstarted.set(labels, secondsBetween(placedAt, now));
    if (!isBound) metrics.podsProvisioningUnbound.set(unbound, secondsBetween(placedAt, now));
  }

  #see(pod: ObservedPod): void {
    this.#waiting.set(pod.uid, { pod, seenAt: this.#context.clock.now() });
  }

  #bound({ pod, placedAt }: Waiting): void {
    const { clock, metrics } = this.#context;
    const now = clock.now();
    const labels = dynamicResources(pod);
    metrics.podsBoundDuration.observe(labels, secondsBetween(pod.createdAt, now));
    if (placedAt !== undefined)
      metrics.podsProvisioningBoundDuration.observe(labels, secondsBetween(placedAt, now));
  }

  #started({ pod, placedAt }: Waiting): void {
    const { clock, metrics } = this.#context;
    const now = clock.now();
    this.#waiting.delete(pod.uid);
    metrics.podsStartupDuration.observe(secondsBetween(pod.createdAt, now));
    if (placedAt !== undefined)
      metrics.podsProvisioningStartupDuration.observe(secondsBetween(placedAt, now));
  }
}

function dynamicResources({ spec }: ObservedPod): { readonly dynamic_resources: string } {
  return { dynamic_resources: String(spec.resourceClaims.length > 0) };
}

function secondsBetween(start: number, end: number): number {
  return Math.max(0, end - start) / 1000;
}
