/** The pods that cannot be placed, those with the same reasons told once. */
import { counted } from '../../../../domain/values/text.js';
import type { PoolReason, UnschedulablePod } from '../../../../planning/plan.js';
import { describePoolReason } from '../../../../planning/describe-reason.js';
import { indent, tableLines } from '../text/table.js';
import type { Terminal } from '../text/terminal.js';

/** Headline and, per group of pods with equal reasons, one line per pool; the largest group first. */
export function unschedulableLines(
  pods: readonly UnschedulablePod[],
  { style }: Terminal,
): readonly string[] {
  if (pods.length === 0) return [];
  return [
    style.bold(style.red(`Cannot be placed: ${counted(pods.length, 'pod')}`)),
    ...groupsOf(pods).flatMap((group) => indent(groupLines(group, style.bold), 2)),
  ];
}

interface Group {
  readonly pods: string[];
  readonly reasons: readonly (readonly [pool: string, reason: string])[];
}

function groupsOf(pods: readonly UnschedulablePod[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { pod, reasons } of pods) {
    const told = reasons.map(wordsOf);
    const key = JSON.stringify(told);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { pods: [pod], reasons: told });
    else group.pods.push(pod);
  }
  return [...groups.values()].sort((left, right) => right.pods.length - left.pods.length);
}

function wordsOf(reason: PoolReason): readonly [string, string] {
  return [reason.nodePool, describePoolReason(reason)];
}

function groupLines({ pods, reasons }: Group, bold: (text: string) => string): readonly string[] {
  const [first = ''] = pods;
  const name = pods.length === 1 ? first : `${counted(pods.length, 'pod')} like ${first}`;
  const perPool = reasons.some(([pool]) => pool !== '');
  const rows = reasons.map(([pool, reason]) =>
    perPool ? [pool === '' ? '' : `${pool}:`, reason] : [reason],
  );
  const columns = perPool ? [{ header: '' }, { header: '' }] : [{ header: '' }];
  return [bold(name), ...indent(tableLines(columns, rows).slice(1), 2)];
}
