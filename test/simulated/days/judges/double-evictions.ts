/** Pods evicted for a cause whose successors are evicted for the same one: they were moved to nodes that had to go as well. */
import type { RawClaim } from '../record/raw.js';
import { hasCondition } from '../record/raw.js';
import type { PodRecord } from '../record/history.js';
import type { Bench, Judge } from './judge.js';

/** Reason of a disruption → the condition of claims by which it is known before it is decided. */
const CONDITIONS: Readonly<Record<string, string>> = {
  Drifted: 'Drifted',
  Interrupted: 'Interrupted',
  Expired: 'Expired',
  Unhealthy: 'Unhealthy',
};

export function doubleEvictions({ history, report }: Bench): Judge {
  /** Pod → the reasons for which its node had to go when the pod came to it. */
  const dueAtBinding = new Map<PodRecord, ReadonlySet<string>>();
  history.onBound((record) => {
    const claim = history.claimOf(record.nodeName ?? '');
    if (claim !== undefined) dueAtBinding.set(record, reasonsOf(claim));
  });
  history.onRemoval(({ how, record }) => {
    const { predecessor, cause, nodeName = '' } = record;
    const before = predecessor?.cause;
    if (how !== 'eviction' || cause === undefined || before?.reason !== cause.reason) return;
    if (dueAtBinding.get(record)?.has(cause.reason) !== true) return;
    const first = predecessor?.key ?? '';
    report({
      kind: 'doubleEvictions',
      objects: [record.key, first, nodeName, cause.claim, before.claim],
      what: `pod ${record.key} is evicted as ${cause.reason} from ${nodeName}, which had to go already when the pod came from ${before.claim}, where ${first} was evicted for the same reason`,
    });
  });
  return {};
}

function reasonsOf(claim: RawClaim): ReadonlySet<string> {
  const reasons = Object.entries(CONDITIONS).flatMap(([reason, type]) =>
    hasCondition(claim, type) ? [reason] : [],
  );
  const decided = claim.status?.disruption?.reason;
  return new Set(decided === undefined ? reasons : [...reasons, decided]);
}
