/** Gangs: pods that are of use only together, so that fewer than a minimum of them are not placed at all. */
import type { Pod } from './pod.js';

/** What a pod says of the gang that it belongs to. */
export interface PodGang {
  /** `gangKey` of the object that makes the gang. */
  readonly key: string;
  /** Where the pod itself says it; `all`: as many as its Job or JobSet runs; undefined where only the object can say. */
  readonly minMembers: number | 'all' | undefined;
}

export interface Gang {
  readonly key: string;
  /** Fewest members that are placed, those that run already included; at least 1. */
  readonly minMembers: number;
}

/** A PodGroup: how many of the pods that name it must run together. */
export interface PodGroup {
  readonly namespace: string;
  readonly name: string;
  /** undefined where its pods need not run together, or where the number cannot be read. */
  readonly minMembers: number | undefined;
}

/** `PodGroup default/train`: tells gangs apart, and is how messages name them. */
export function gangKey(kind: 'PodGroup' | 'Job' | 'JobSet', namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

/** Gang → minimum, of the PodGroups that have one. */
export function minimumsOf(podGroups: Iterable<PodGroup>): Map<string, number> {
  const minimums = new Map<string, number>();
  for (const { namespace, name, minMembers } of podGroups)
    if (minMembers !== undefined) minimums.set(gangKey('PodGroup', namespace, name), minMembers);
  return minimums;
}

/**
 * The gangs of these pods, by key. What their object says (`declared`: gang → minimum) goes before what the pods say; of
 * pods that disagree the highest number counts, and `all` are those that are here and not on their way out. A gang
 * without a minimum is none, and its pods are planned alone.
 */
export function gangsOf(
  pods: readonly Pick<Pod, 'gang' | 'terminating'>[],
  declared: ReadonlyMap<string, number>,
): readonly Gang[] {
  const said = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { gang, terminating } of pods) {
    if (gang === undefined) continue;
    const { key, minMembers } = gang;
    if (minMembers === 'all') counts.set(key, (counts.get(key) ?? 0) + (terminating ? 0 : 1));
    else said.set(key, Math.max(said.get(key) ?? 0, minMembers ?? 0));
  }
  return [...new Set([...said.keys(), ...counts.keys()])]
    .map((key) => ({ key, minMembers: declared.get(key) ?? said.get(key) ?? counts.get(key) ?? 0 }))
    .filter(({ minMembers }) => minMembers > 0)
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}
