/** Paths as people write them. */
import type { DocumentPath } from '../issue.js';

const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** `spec.requirements[0].values`, `metadata.labels["a.b/c"]`; '' for the root. */
export function formatPath(path: DocumentPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${String(step)}]`;
    else if (!PLAIN.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
