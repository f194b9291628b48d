/** Why no node would do, in kube-scheduler's words (framework.FitError). */
import type { Refusal } from './filters/node-check.js';

export interface Diagnosis {
  readonly nodeCount: number;
  /** Node → why not. */
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** Why none was looked at. */
  readonly early: { readonly plugin: string; readonly message: string } | undefined;
}

export function pluginsOf({ refusals, early }: Diagnosis): ReadonlySet<string> {
  const plugins = new Set([...refusals.values()].map(({ plugin }) => plugin));
  return early === undefined ? plugins : plugins.add(early.plugin);
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …` */
export function messageOf({ nodeCount, refusals, early }: Diagnosis, preemption: string): string {
  const reasons = [...refusals.values()].flatMap((refusal) => refusal.reasons);
  const why = early?.message ?? histogram(reasons);
  const head = availability(nodeCount, why);
  return preemption === '' ? head : `${head} ${preemption}`;
}

/** `0/3 nodes are available: why.` */
export function availability(nodeCount: number, why: string): string {
  return `0/${String(nodeCount)} nodes are available${why === '' ? '' : `: ${why}.`}`;
}

/** `2 Insufficient cpu, 1 Too many pods`, sorted as text. */
export function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${String(count)} ${reason}`)
    .sort()
    .join(', ');
}
