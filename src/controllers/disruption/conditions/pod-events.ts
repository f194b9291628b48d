/** When pods last came to each node or left it: consolidation waits until a node has been quiet for a while. */
import { isFinished } from '../../../domain/pods/pod.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import type { Clock } from '../../../ports/clock.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import type { Change } from '../../../state/cluster/store.js';

/** What happened before it follows the cluster is not known to it. */
export class PodEvents {
  readonly #clock: Clock;
  readonly #times = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Follows the cluster from now on, and tells of each event; answers what ends that. */
  follow(cluster: Cluster, onEvent: (nodeName: string) => void): () => void {
    const stops = [
      cluster.pods.subscribe((change) => {
        for (const nodeName of nodesOf(change)) {
          this.#times.set(nodeName, this.#clock.now());
          onEvent(nodeName);
        }
      }),
      cluster.nodes.subscribe(({ key, after }) => {
        if (after === undefined) this.#times.delete(key);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Node → when, in milliseconds since 1970; nodes where nothing happened since it follows are left out. */
  get times(): ReadonlyMap<string, number> {
    return this.#times;
  }

  /** In milliseconds since 1970; undefined when nothing happened since it follows. */
  last(nodeName: string): number | undefined {
    return this.#times.get(nodeName);
  }
}

/** The nodes that the change is an event of: a pod was bound, began to end, finished, or is gone. */
function nodesOf({ before, after }: Change<ObservedPod>): readonly string[] {
  if ((after ?? before)?.owner?.kind === 'DaemonSet' || presence(before) === presence(after)) return [];
  return [...new Set([before?.nodeName, after?.nodeName])].flatMap((name) => name ?? []);
}

/** Where the pod is at work; '' when nowhere. */
function presence(pod: ObservedPod | undefined): string {
  if (pod?.nodeName === undefined || pod.terminating) return '';
  return isFinished(pod) ? '' : `${pod.uid} ${pod.nodeName}`;
}
