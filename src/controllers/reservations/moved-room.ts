/**
 * Room for pods that are to be evicted: held for their owners, since the pods that come in their place do not exist yet. It is
 * held for a while only; the reservations controller prolongs that for as long as such pods may come.
 */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { MOVED, MOVED_MILLIS, type ReservationEntry } from '../../domain/records/reservation.js';
import { ownerKey } from '../../state/cluster/owner-key.js';

/** One entry for each owner and template. Pods without an owner do not come again. `now` in milliseconds since 1970. */
export function movedEntries(pods: readonly ObservedPod[], now: number): readonly ReservationEntry[] {
  return addEntries(
    [],
    pods.flatMap(({ owner, namespace, templateHash, spec }) =>
      owner === undefined
        ? []
        : {
            podUID: undefined,
            owner: { kind: owner.kind, namespace, name: owner.name, templateHash },
            count: 1,
            requests: spec.requests,
            priority: spec.priority,
            reason: MOVED,
            expiresAt: now + MOVED_MILLIS,
          },
    ),
  );
}

/** The entries with these added: counted together where they are for pods of one owner that ask for the same. */
export function addEntries(
  entries: readonly ReservationEntry[],
  added: readonly ReservationEntry[],
): readonly ReservationEntry[] {
  return added.reduce((list, entry) => changeCount(list, entry, entry.count), entries);
}

/** The entries without these, as far as they are still there. */
export function takeEntries(
  entries: readonly ReservationEntry[],
  taken: readonly ReservationEntry[],
): readonly ReservationEntry[] {
  return taken.reduce((list, entry) => changeCount(list, entry, -entry.count), entries);
}

function changeCount(
  entries: readonly ReservationEntry[],
  entry: ReservationEntry,
  change: number,
): readonly ReservationEntry[] {
  const index = entries.findIndex((known) => identity(known) === identity(entry));
  const known = entries[index];
  if (known === undefined) return change > 0 ? [...entries, { ...entry, count: change }] : entries;
  const count = known.count + change;
  if (count <= 0) return entries.toSpliced(index, 1);
  const expiresAt = Math.max(known.expiresAt ?? Infinity, entry.expiresAt ?? Infinity);
  return entries.with(index, { ...known, count, expiresAt: expiresAt === Infinity ? undefined : expiresAt });
}

function identity({ podUID, owner, requests }: ReservationEntry): string {
  if (owner === undefined) return `pod ${podUID ?? ''}`;
  return JSON.stringify([ownerKey(owner), [...requests].sort()]);
}
