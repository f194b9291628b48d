/** The gangs of a snapshot that have pods without a place, and in which order they are served. */
import { NO_LABELS } from '../../domain/labels.js';
import { specKey } from '../snapshot/spec-key.js';
import type { GangRows } from '../snapshot/gang-rows.js';
import type { Snapshot } from '../snapshot/snapshot.js';

export interface GangDemand {
  readonly key: string;
  readonly minMembers: number;
  /** Members that run already, or are sure to; those that are being deleted do not count. */
  readonly bound: number;
  /** Pod rows of its members without a place, ascending. */
  readonly pending: readonly number[];
  /** Of its most important member without a place. */
  readonly priority: number;
  /** Equal for gangs that ask for the same: where one has no place, the others have none. */
  readonly shape: string;
}

/** Gangs with members that need a place, the most important first, then those that have most of their members, then by key. */
export function gangDemand(snapshot: Snapshot): readonly GangDemand[] {
  return snapshot.gangs
    .map((gang) => demandOf(snapshot, gang))
    .filter(({ pending }) => pending.length > 0)
    .sort(
      (left, right) =>
        right.priority - left.priority ||
        right.bound / right.minMembers - left.bound / left.minMembers ||
        (left.key < right.key ? -1 : 1),
    );
}

function demandOf({ pods, specs }: Snapshot, { key, minMembers, pods: rows }: GangRows): GangDemand {
  const pending = [...rows].filter((row) => pods.node[row] === -1);
  const bound = rows.reduce(
    (sum, row) => sum + (pods.node[row] !== -1 && pods.terminating[row] === 0 ? 1 : 0),
    0,
  );
  const wanted = pending.map((row) => pods.spec[row] ?? -1);
  const members = wanted.map((spec) => {
    const value = specs[spec];
    return value === undefined ? '' : specKey({ ...value, labels: NO_LABELS });
  });
  return {
    key,
    minMembers,
    bound,
    pending,
    priority: Math.max(...wanted.map((spec) => specs[spec]?.priority ?? 0)),
    shape: [minMembers - bound, ...members.sort()].join('\n'),
  };
}

/**
 * The rows of a snapshot without the pods of some gangs. Pods that ask for the same are dealt out in the order of their
 * rows: what the gangs need comes first, gang by gang, so that they become whole one after the other.
 */
export function rowsInOrder(
  snapshot: Snapshot,
  gangs: readonly GangDemand[],
  isLeftOut: (gang: GangDemand) => boolean,
): readonly number[] {
  const taken = new Uint8Array(snapshot.pods.keys.length);
  const first: number[] = [];
  for (const gang of gangs) {
    const needed = isLeftOut(gang) ? [] : gang.pending.slice(0, Math.max(0, gang.minMembers - gang.bound));
    first.push(...needed);
    for (const row of isLeftOut(gang) ? gang.pending : needed) taken[row] = 1;
  }
  const others = snapshot.pods.keys.flatMap((_, row) => (taken[row] === 1 ? [] : [row]));
  return [...first, ...others];
}
