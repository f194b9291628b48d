/**
 * Names pods that PodDefaults are meant for, and that have neither their scheduling gate nor their scheduler: the API server creates
 * pods without the webhook where it does not answer (failurePolicy Ignore), and nothing else would tell of it.
 */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import { SCHEDULER_LEASE } from '../../domain/records/lease.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { Recorder } from '../../ports/recorder.js';
import { missedStamps } from '../../planning/placement/missed-stamps.js';
import { byPriority } from '../../planning/placement/stamp-pod.js';
import { untilAborted } from '../../runtime/time/deadline.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { ownerKeyOf } from '../../state/cluster/owner-key.js';
import { whileObserving } from '../while-observing.js';

export interface UnstampedPodsControllerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
  /** Berth's own. */
  readonly namespace: string;
}

const KINDS: readonly ObservedKind[] = ['Pod', 'Namespace', 'PolicyStatus', 'Lease'];
/** A document is known to every replica so long after it was accepted. */
const KNOWN_MILLIS = 30_000;
/** One pod is named for all of an owner's, once in so long; all are counted. */
const AGAIN_MILLIS = 10 * 60_000;
/** Owners that are remembered; then all are forgotten. */
const MOST_OWNERS = 1000;

export class UnstampedPodsController {
  readonly #options: UnstampedPodsControllerOptions;
  /** Owner → when one of its pods was named; monotonic. */
  readonly #named = new Map<string, number>();

  constructor(options: UnstampedPodsControllerOptions) {
    this.#options = options;
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => [
      cluster.pods.subscribe(({ before, after }) => {
        if (after !== undefined && before?.uid !== after.uid) this.#look(after);
      }),
    ];
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      // Those that were created while no replica ran.
      for (const pod of cluster.pods.values()) this.#look(pod);
      await untilAborted(signal, 'look for pods without stamps', () => new Promise<never>(() => undefined));
    });
  }

  #look(pod: ObservedPod): void {
    if (pod.nodeName !== undefined || pod.terminating) return;
    const { cluster, clock, metrics, namespace } = this.#options;
    const podDefaults = this.#inForceAt(pod.createdAt);
    if (podDefaults.length === 0) return;
    const lease = cluster.leases.get(SCHEDULER_LEASE);
    const schedulerRuns =
      lease !== undefined && clock.now() - lease.renewedAt <= lease.durationSeconds * 1000;
    const namespaceLabels = cluster.namespaces.get(pod.namespace)?.labels;
    const missed = missedStamps(pod, {
      podDefaults,
      namespaceLabels,
      schedulerRuns,
      ownNamespace: namespace,
      demandTerms: cluster.demandTerms,
    });
    if (missed.size === 0) return;
    metrics.podsNotStamped.inc();
    if (this.#isNews(pod)) this.#tell(pod, missed);
  }

  /** Documents that every replica knew when a pod was created. */
  #inForceAt(createdAt: number): readonly PodDefaults[] {
    const documents: PodDefaults[] = [];
    for (const { lastAccepted, conditions } of this.#options.cluster.policyStatuses.values()) {
      if (lastAccepted?.value?.kind !== 'PodDefaults') continue;
      const accepted = conditions.find(({ type, status }) => type === 'Accepted' && status === 'True');
      if (accepted !== undefined && createdAt >= accepted.lastTransitionTime + KNOWN_MILLIS)
        documents.push(lastAccepted.value.podDefaults);
    }
    return documents.sort(byPriority);
  }

  #isNews(pod: ObservedPod): boolean {
    const now = this.#options.clock.monotonic();
    const owner = ownerKeyOf(pod) ?? pod.uid;
    if (now - (this.#named.get(owner) ?? -Infinity) < AGAIN_MILLIS) return false;
    if (this.#named.size >= MOST_OWNERS) this.#named.clear();
    this.#named.set(owner, now);
    return true;
  }

  #tell({ namespace, name, uid, owner }: ObservedPod, missed: ReadonlyMap<string, string>): void {
    const lacks = [...missed].map(([field, document]) => `${field} of PodDefaults ${document}`).join(', ');
    const others = owner === undefined ? '' : `; so may other pods of ${owner.kind} ${owner.name}`;
    this.#options.recorder.record({
      subject: { kind: 'Pod', namespace, name, uid },
      action: 'Place',
      reason: 'NotStamped',
      message: `lacks ${lacks}: it was created while the webhook did not answer, or before the document said so${others}`,
      trigger: 'Pod',
      considered: '',
      saving: undefined,
      event: { type: 'Warning', reason: 'NotStamped' },
    });
  }
}
