/** A stage of the demo: something is done to the cluster, the stage waits for the outcome, and reports whether it was right. */
import type { Clock } from '../../../src/ports/clock.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';
import type { KubeObjects } from '../manifests/kube-objects.js';
import type { WorldLevers } from './world-levers.js';

/** One thing that was expected, beside what was seen. */
export interface Finding {
  readonly what: string;
  readonly expected: string;
  readonly seen: string;
  readonly isMet: boolean;
}

export interface StageContext {
  readonly cluster: Cluster;
  readonly objects: KubeObjects;
  readonly levers: WorldLevers;
  readonly clock: Clock;
  /** Has the world's time stand until the work is done: a user's commands take it none, however slow the host is. */
  readonly atOnce: <T>(work: Promise<T>) => Promise<T>;
  readonly say: (verb: string, text: string) => void;
  /** Whether `look` came true within so many seconds of the world's time. */
  readonly until: (seconds: number, look: () => boolean) => Promise<boolean>;
  readonly signal: AbortSignal;
}

export interface Stage {
  readonly name: string;
  /** What the user reads before it begins. */
  readonly announcement: string;
  run(context: StageContext): Promise<readonly Finding[]>;
}

/** A finding about a number or a word. */
export function finding(what: string, expected: string | number, seen: string | number): Finding {
  return { what, expected: String(expected), seen: String(seen), isMet: String(expected) === String(seen) };
}
