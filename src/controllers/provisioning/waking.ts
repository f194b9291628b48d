/** Has kube-scheduler try pods again that nothing is planned for (any more). */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { REFUSED_ANNOTATION } from '../../planning/placement/preempt.js';
import { REFUSALS } from '../../planning/placement/refusal.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import { tryInParallel } from '../../runtime/concurrency/in-parallel.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { ClusterWriter } from '../cluster-writer.js';

export interface WakingOptions {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'gatesRemoved'>;
}

const HOLDS = [REFUSALS.notReady, REFUSALS.notOffered, REFUSALS.plannedElsewhere];
/** What kube-scheduler heard is gone soon after a held pod was woken; until then, waking again is of no use. */
const WOKEN_MILLIS = 60_000;
/** Writes in flight, and pods written to in one batch; the others follow with the next. */
const AT_ONCE = 4;
const MOST_AT_ONCE = 200;
/** Pods whose scheduling gate is removed in one batch: one write each. */
const MOST_UNGATED = 1000;
/** Not a node: a nomination to it reserves no room. */
const NOWHERE = 'none.berth.sh';

/**
 * Marks pods as refused, which ends their being planned (`preempt`), and wakes them. What wakes a pod depends on what refused
 * it at kube-scheduler: after an extender any event does, the mark itself included. After kube-scheduler's own check of
 * resources only the end of a pod does, or of a nomination (eventhandlers.go: a nomination that is gone counts as a
 * deleted pod for all pods of the same or lower priority). So the most important of the marked pods is nominated to no node, and
 * the nomination taken back: two writes for all of them. A pod that Berth's own gate keeps from being tried at all loses it.
 */
export class Waking {
  readonly #options: WakingOptions;

  constructor(options: WakingOptions) {
    this.#options = options;
  }

  /**
   * `isFinal`: the plan's word on them is published. Waking only saves time: a pod that it does not reach is tried again by
   * kube-scheduler itself, within five minutes.
   */
  async wake(pods: readonly ObservedPod[], isFinal: boolean, signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger, writer } = this.#options;
    if (isFinal) await this.#ungate(pods, signal);
    const lowest = isFinal ? this.#lowestBoundPriority(pods) : Infinity;
    const now = clock.now();
    const asleep = pods
      .filter((pod) => !pod.awaitsPlace && (isHeldAsleep(pod, now) || isNews(pod, lowest)))
      .sort((one, other) => other.spec.priority - one.spec.priority)
      .slice(0, MOST_AT_ONCE);
    const marked = new Set<ObservedPod>();
    const mark = async (asked: ObservedPod): Promise<void> => {
      const pod = waiting(cluster, asked.uid);
      if (pod === undefined) return;
      const isMarked = await writer.annotatePod(pod, { [REFUSED_ANNOTATION]: String(now) }, signal);
      if (isMarked && !isHeld(pod)) marked.add(asked);
    };
    const limits = { atOnce: AT_ONCE, signal };
    const failures = await tryInParallel(asleep, mark, limits);
    const first = asleep.find((pod) => marked.has(pod));
    // Where this process, or another before it, did not come to take a nomination back.
    const unfinished = pods.filter(({ nominatedNodeName }) => nominatedNodeName === NOWHERE);
    const ringing = new Set([first, ...unfinished].flatMap((pod) => pod?.uid ?? []));
    const ring = (podUID: string): Promise<void> => this.#ring(podUID, signal);
    const unheard = await tryInParallel([...ringing], ring, limits);
    for (const error of [...failures, ...unheard])
      if (!hasCode(error, 'Conflict', 'Cancelled')) logger.warn('Failed to requeue pod', { error });
  }

  /**
   * A pod without a place is kube-scheduler's, which reports why it fits nowhere and may preempt others for it. From now on it is
   * planned like a pod that never had a gate.
   */
  async #ungate(pods: readonly ObservedPod[], signal: AbortSignal): Promise<void> {
    const { cluster, clock, logger, metrics, writer } = this.#options;
    const annotations = { [REFUSED_ANNOTATION]: String(clock.now()) };
    const gated = pods.filter(({ awaitsPlace }) => awaitsPlace).slice(0, MOST_UNGATED);
    const ungate = async ({ uid }: ObservedPod): Promise<void> => {
      const pod = waiting(cluster, uid);
      if (pod?.awaitsPlace !== true) return;
      if (await writer.ungatePod(pod, { annotations }, signal))
        metrics.gatesRemoved.inc({ reason: 'refused' });
    };
    for (const error of await tryInParallel(gated, ungate, { atOnce: AT_ONCE, signal }))
      if (!hasCode(error, 'Conflict', 'Cancelled'))
        logger.warn('Failed to remove the scheduling gate of a refused pod', { error });
  }

  /** A pod that is nominated already is about to be tried. */
  async #ring(podUID: string, signal: AbortSignal): Promise<void> {
    const { cluster, writer } = this.#options;
    const pod = waiting(cluster, podUID);
    if (pod === undefined) return;
    if (pod.nominatedNodeName === undefined) await writer.nominatePod(pod, NOWHERE, signal);
    const nominated = waiting(cluster, podUID);
    if (nominated?.nominatedNodeName === NOWHERE) await writer.nominatePod(nominated, undefined, signal);
  }

  /** Of pods that could be preempted; Infinity where there is none, or no pod to preempt for. */
  #lowestBoundPriority(pods: readonly ObservedPod[]): number {
    let lowest = Infinity;
    if (pods.some(({ annotations }) => !annotations.has(REFUSED_ANNOTATION)))
      for (const { nodeName, spec } of this.#options.cluster.pods.values())
        if (nodeName !== undefined) lowest = Math.min(lowest, spec.priority);
    return lowest;
  }
}

/** Whether kube-scheduler last heard our extender hold the pod: it would sleep on, while it may now go where it could not. */
function isHeld({ scheduled }: ObservedPod): boolean {
  return HOLDS.some((text) => scheduled?.message.includes(text));
}

function isHeldAsleep(pod: ObservedPod, now: number): boolean {
  const wokenAt = Number(pod.annotations.get(REFUSED_ANNOTATION) ?? -Infinity);
  return isHeld(pod) && !(now - wokenAt < WOKEN_MILLIS);
}

/** Whether the pod could preempt others, and is not known to be refused. */
function isNews({ annotations, spec }: ObservedPod, lowest: number): boolean {
  return spec.priority > lowest && !annotations.has(REFUSED_ANNOTATION);
}

function waiting(cluster: Cluster, podUID: string): ObservedPod | undefined {
  const pod = cluster.podByUID(podUID);
  return pod === undefined || pod.nodeName !== undefined || pod.terminating ? undefined : pod;
}
