/** Gangs as rows of the snapshot's pods. */
import type { Gang } from '../../domain/gang.js';
import type { Pod } from '../../domain/pod.js';

export interface GangRows extends Gang {
  /** Pod rows of its members, pending and bound, ascending. */
  readonly pods: Int32Array;
}

/** The gangs that have members among the pods, by key; `pods` are in the order of their rows. */
export function gangRows(
  pods: readonly Pick<Pod, 'gang'>[],
  gangs: readonly Gang[] = [],
): readonly GangRows[] {
  if (gangs.length === 0) return [];
  const rows = new Map<string, number[]>(gangs.map(({ key }) => [key, []]));
  pods.forEach(({ gang }, row) => {
    if (gang !== undefined) rows.get(gang.key)?.push(row);
  });
  return gangs
    .map(({ key, minMembers }) => ({ key, minMembers, pods: Int32Array.from(rows.get(key) ?? []) }))
    .filter((gang) => gang.pods.length > 0)
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}
