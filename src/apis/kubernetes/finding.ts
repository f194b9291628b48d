/** What is wrong inside one Kubernetes object, before anybody knows which text it came from. */
import type { Issue } from '../issue.js';

/** An Issue without its place: path and message, but no document, line or column. */
export type Finding = Pick<Issue, 'severity' | 'code' | 'path' | 'message' | 'allowed' | 'guess'>;

/**
 * What became of one object. `value` is undefined when it is no object or has no name; otherwise it is there even
 * beside errors, with what could not be read left out, so that a running pod never stops taking room.
 */
export interface Decoded<T> {
  readonly value: T | undefined;
  readonly findings: readonly Finding[];
}

/** Whether nothing worse than a warning was found. */
export function isAccepted(findings: readonly Finding[]): boolean {
  return findings.every((finding) => finding.severity === 'warning');
}
