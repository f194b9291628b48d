/**
 * Pods evicted for a cause whose successors are evicted for the same one: they were moved to nodes that had to go as well, which was
 * known when it was decided to move them. A node that is found to be due later, while they move, is another cause; and a pod whose
 * planned place has not come about within minutes goes wherever there is room.
 */
import type { RawClaim } from '../record/raw.js';
import type { PodRecord } from '../record/history.js';
import type { Bench, Judge } from './judge.js';

/** Reason of a disruption → the condition of claims by which it is known before it is decided. */
const CONDITIONS: Readonly<Record<string, string>> = {
  Drifted: 'Drifted',
  Interrupted: 'Interrupted',
  Expired: 'Expired',
  Unhealthy: 'Unhealthy',
};

/** Longer than room is held for moved pods, and than a usual boot takes. */
const PLACED_MILLIS = 300_000;

export function doubleEvictions({ history, report }: Bench): Judge {
  /** Pod → the reasons for which its node had to go when the pod came to it, and since when. */
  const dueAtBinding = new Map<PodRecord, ReadonlyMap<string, number>>();
  history.onBound((record) => {
    const claim = history.claimOf(record.nodeName ?? '');
    const waited = (record.boundAt ?? 0) - record.createdAt;
    if (claim !== undefined && waited < PLACED_MILLIS) dueAtBinding.set(record, reasonsOf(claim));
  });
  history.onRemoval(({ how, record }) => {
    const { predecessor, cause, nodeName = '' } = record;
    const before = predecessor?.cause;
    if (how !== 'eviction' || cause === undefined || before?.reason !== cause.reason) return;
    if ((dueAtBinding.get(record)?.get(cause.reason) ?? Infinity) > before.decidedAt) return;
    const first = predecessor?.key ?? '';
    report({
      kind: 'doubleEvictions',
      objects: [record.key, first, nodeName, cause.claim, before.claim],
      what: `pod ${record.key} is evicted as ${cause.reason} from ${nodeName}, which had to go already when the pod came from ${before.claim}, where ${first} was evicted for the same reason`,
    });
  });
  return {};
}

/** Reason → since when, in milliseconds since 1970. */
function reasonsOf({ status }: RawClaim): ReadonlyMap<string, number> {
  const due = new Map<string, number>();
  for (const [reason, type] of Object.entries(CONDITIONS)) {
    const found = status?.conditions?.find((each) => each.type === type && each.status === 'True');
    if (found !== undefined) due.set(reason, Date.parse(found.lastTransitionTime ?? ''));
  }
  const { reason, decidedAt = '' } = status?.disruption ?? {};
  if (reason !== undefined && !due.has(reason)) due.set(reason, Date.parse(decidedAt));
  return due;
}
