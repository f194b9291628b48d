/** What tells subjects of decisions apart. */
import type { DecisionSubject } from '../../domain/records/decision.js';

/** Another object of the same name is another subject. */
export function subjectKey({ kind, namespace, name, uid }: DecisionSubject): string {
  return `${kind}/${namespace}/${name}/${uid}`;
}
