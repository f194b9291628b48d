/** One round: pods that are there when kube-scheduler starts, and how fast it binds them. */
import { percentile } from './percentile.js';

/**
 * Whom kube-scheduler asks: nobody, an extender that only echoes, or Berth, which holds room for the pods or not; pods that it
 * holds room for are nominated. `filtered` are pods without room whose nodes Berth may refuse, but not rank: the extender's entry has
 * no prioritizeVerb.
 */
export const KINDS = ['without', 'echo', 'planned', 'unplanned', 'filtered'] as const;
export type Kind = (typeof KINDS)[number];

export interface Round {
  readonly kind: Kind;
  readonly pods: number;
  readonly podsPerSecond: number;
  /** For each pod. */
  readonly schedulerCpuMillis: number;
  readonly berthCpuMillis: number;
  /** Planned pods that were bound to another node than theirs. */
  readonly elsewhere: number;
}

/** Neither the start nor the last stragglers are about throughput. */
const FROM = 0.05;
const TO = 0.95;

/** Pods a second, of the moments in milliseconds at which they were seen bound. */
export function speedOf(boundAt: readonly number[]): number {
  const millis = percentile(boundAt, TO) - percentile(boundAt, FROM);
  return ((TO - FROM) * boundAt.length * 1000) / millis;
}
