/** Which pods of a cluster planning looks at, and which it leaves to others. */
import { demandStatus, type IgnoredReason } from '../../domain/pods/demand.js';
import type { Pod } from '../../domain/pods/pod.js';

export interface Demand {
  /** Pods that need a place, and pods that have one. */
  readonly pods: readonly Pod[];
  /** How many pods without a place are not planned, by reason. */
  readonly ignored: ReadonlyMap<IgnoredReason, number>;
}

/** Sorts pods out; bound pods count regardless of their scheduler, since they take room. */
export function demandOf(all: readonly Pod[]): Demand {
  const pods: Pod[] = [];
  const ignored = new Map<IgnoredReason, number>();
  for (const pod of all) {
    const status = demandStatus(pod);
    if (status === 'demand' || pod.nodeName !== undefined) pods.push(pod);
    else ignored.set(status.ignored, (ignored.get(status.ignored) ?? 0) + 1);
  }
  return { pods, ignored };
}
