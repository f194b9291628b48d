/** What was checked, for reports/aws.json. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Metrics } from '../../src/runtime/metrics/metrics.js';
import { REPORT_FILE } from './report-file.js';

export interface CheckedAction {
  /** `ec2:CreateFleet` */
  readonly action: string;
  /** Calls, or elements of answers. */
  readonly checked: number;
  readonly ok: boolean;
}

/** Puts a suite's rows in the place of those that it left before. */
export function report(suite: string, actions: readonly CheckedAction[]): void {
  const known = existsSync(REPORT_FILE)
    ? (JSON.parse(readFileSync(REPORT_FILE, 'utf8')) as readonly { readonly suite: string }[])
    : [];
  const others = known.filter((row) => row.suite !== suite);
  mkdirSync(dirname(REPORT_FILE), { recursive: true });
  const rows = [...others, ...actions.map((action) => ({ suite, ...action }))];
  writeFileSync(REPORT_FILE, `${JSON.stringify(rows, undefined, 2)}\n`);
}

/** The calls that were answered, by action. Dry runs are not: what they get is an error. */
export async function answeredCalls({
  cloudRequests,
}: Pick<Metrics, 'cloudRequests'>): Promise<readonly CheckedAction[]> {
  const { values } = await cloudRequests.get();
  const counts = new Map<string, number>();
  for (const { labels, value } of values.filter(({ labels }) => labels.outcome === 'ok')) {
    const action = `${String(labels.service)}:${String(labels.operation)}`;
    counts.set(action, (counts.get(action) ?? 0) + value);
  }
  return [...counts].sort().map(([action, checked]) => ({ action, checked, ok: true }));
}
