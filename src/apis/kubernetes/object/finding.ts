/** What is wrong inside one Kubernetes object, before it is known which text it came from. */
import type { Finding } from '../../decode/findings.js';
import type { Issue } from '../../issue.js';

/** A finding about an object; where a text is at hand, `Findings` makes an Issue of it. */
export interface ObjectFinding extends Finding {
  readonly severity: Issue['severity'];
}

/**
 * What became of one object. `value` is undefined when it is no object or has no name; otherwise it is there even
 * beside errors, with what could not be read left out, so that a running pod never stops taking room.
 */
export interface Decoded<T> {
  readonly value: T | undefined;
  readonly findings: readonly ObjectFinding[];
}
