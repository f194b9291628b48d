/**
 * Pods evicted for a cause whose successors are evicted for the same one: they were moved to nodes that had to go as well, which was
 * known when it was decided to move them. A node that is found to be due later, while they move, is another cause; and a pod whose
 * planned place has not come about within minutes goes wherever there is room, as does one of an instance that EC2 or a user takes
 * meanwhile: it cannot wait for its place. Pods of an owner take each other's places: where one that is evicted for another reason has
 * taken the place that a pod was moved to, this goes where there was room for the other, which may be a node that has to go.
 */
import { instanceIDOf, type RawClaim } from '../record/raw.js';
import type { Cause, PodRecord } from '../record/history.js';
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

const INTERRUPTED = 'Interrupted';

export function doubleEvictions({ history, stage, report }: Bench): Judge {
  /** Pod → the reasons for which its node had to go when the pod came to it, and since when. */
  const dueAtBinding = new Map<PodRecord, ReadonlyMap<string, number>>();
  const wasKnown = (record: PodRecord, { reason, decidedAt }: Cause): boolean =>
    (dueAtBinding.get(record)?.get(reason) ?? Infinity) <= decidedAt;
  /** Pods whose instance was taken before they were evicted for another reason. */
  const taken = new Set<PodRecord>();
  /** Pods that have excused another already. */
  const excuses = new Set<PodRecord>();
  const mayHaveTakenPlace = (
    sibling: PodRecord,
    { owner, boundAt = 0 }: PodRecord,
    before: Cause,
  ): boolean => {
    const cause = sibling.predecessor?.cause;
    if (sibling.owner !== owner || cause === undefined || cause.reason === before.reason) return false;
    const isMeanwhile = (sibling.boundAt ?? 0) >= before.decidedAt && cause.decidedAt <= boundAt;
    return isMeanwhile && dueAtBinding.get(sibling)?.has(before.reason) === false;
  };
  const isExcused = (record: PodRecord, before: Cause): boolean => {
    if (before.reason === INTERRUPTED) return false;
    const taker = [...dueAtBinding.keys()].find(
      (sibling) => !excuses.has(sibling) && mayHaveTakenPlace(sibling, record, before),
    );
    if (taker !== undefined) excuses.add(taker);
    return taker !== undefined;
  };
  history.onBound((record) => {
    const claim = history.claimOf(record.nodeName ?? '');
    const waited = (record.boundAt ?? 0) - record.createdAt;
    if (claim !== undefined && waited < PLACED_MILLIS) dueAtBinding.set(record, reasonsOf(claim));
  });
  history.onRemoval(({ record }) => {
    const claim = history.claimOf(record.nodeName ?? '');
    if (record.cause?.reason !== INTERRUPTED && stage.taken.has(instanceIDOf(claim))) taken.add(record);
  });
  history.onRemoval(({ how, record }) => {
    const { predecessor, cause, nodeName = '' } = record;
    const before = predecessor?.cause;
    if (how !== 'eviction' || cause === undefined || predecessor === undefined) return;
    if (before?.reason !== cause.reason || taken.has(predecessor)) return;
    if (!wasKnown(record, before) || isExcused(record, before)) return;
    report({
      kind: 'doubleEvictions',
      objects: [record.key, predecessor.key, nodeName, cause.claim, before.claim],
      what: `pod ${record.key} is evicted as ${cause.reason} from ${nodeName}, which had to go already when the pod came from ${before.claim}, where ${predecessor.key} was evicted for the same reason`,
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
