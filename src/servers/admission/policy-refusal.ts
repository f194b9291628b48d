/** Errors of a policy ConfigMap as the status that kubectl shows: all of them, one line each. */
import { formatIssue } from '../../apis/decode/format-issue.js';
import type { Issue } from '../../apis/issue.js';
import type { RefusalStatus } from './admission-review.js';

const MOST_LINES = 100;

/**
 * 422 with a cause for each error. kubectl prints the causes where it finds them, else the message. The field of a cause is
 * the key of the ConfigMap, its message starts with line and column therein.
 */
export function policyRefusal(configMap: string, errors: readonly Issue[]): RefusalStatus {
  const told = errors.slice(0, MOST_LINES);
  const lines = told.map((issue) => formatIssue(issue).replace(': error: ', ': '));
  const causes = told.map((issue) => ({
    reason: 'FieldValueInvalid',
    field: fieldOf(issue),
    message: formatIssue({ ...issue, source: '' })
      .replace(/^[:\s]+/, '')
      .replace(': error: ', ': '),
  }));
  const left = errors.length - told.length;
  const more = `and ${String(left)} more; berth validate lists all of them`;
  const count = errors.length === 1 ? 'an error' : `${String(errors.length)} errors`;
  return {
    code: 422,
    reason: 'Invalid',
    message: [`ConfigMap ${configMap} has ${count}:`, ...lines, ...(left > 0 ? [more] : [])].join('\n'),
    details: {
      kind: 'ConfigMap',
      name: configMap,
      causes: left > 0 ? [...causes, { reason: 'FieldValueInvalid', field: 'data', message: more }] : causes,
    },
  };
}

/** `configmap/pools[general.yaml]` → `data[general.yaml]`. */
function fieldOf({ source }: Issue): string {
  const key = /^configmap\/[^[]*(\[.*\])$/s.exec(source)?.[1];
  return `data${key ?? ''}`;
}
