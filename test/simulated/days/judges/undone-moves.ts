/** Pods that consolidation moves, and moves again within the hour although nothing has changed. */
import type { PodRecord } from '../record/history.js';
import type { Bench, Judge } from './judge.js';

const HOUR_MILLIS = 3_600_000;

export function undoneMoves({ history, stage, report }: Bench): Judge {
  const hasChanged = (from: number, until: number): boolean => {
    const isBetween = (at: number): boolean => at > from && at <= until;
    return history.demandChanges.some(isBetween) || stage.changes.some(({ at }) => isBetween(at));
  };
  history.onRemoval(({ record }) => {
    const { cause, predecessor } = record;
    const before = predecessor?.cause;
    if (cause?.reason !== 'Underutilized' || before?.reason !== 'Underutilized') return;
    if (cause.decidedAt - before.decidedAt >= HOUR_MILLIS || hasChanged(before.decidedAt, cause.decidedAt))
      return;
    const minutes = Math.round((cause.decidedAt - before.decidedAt) / 60_000);
    report({
      kind: 'undoneMoves',
      objects: [...names(record), ...names(predecessor), cause.claim, before.claim],
      what: `consolidation moves pod ${record.key} from ${record.nodeName ?? ''}, where it had moved it ${String(minutes)} min before from ${predecessor?.nodeName ?? ''}, and nothing has changed since`,
    });
  });
  return {};
}

function names(record: PodRecord | undefined): readonly string[] {
  return record === undefined ? [] : [record.key, record.nodeName ?? ''];
}
