/** Applies `add` operations of a JSON patch as RFC 6902 says, strictly: what cannot be added to is an error. */
import type { PatchOperation } from '../../../src/planning/placement/stamp-pod-patch.js';

/** A copy of the document with the operations applied, one after the other. */
export function applyJsonPatch<T>(document: T, operations: readonly PatchOperation[]): T {
  const copy = structuredClone(document);
  for (const { path, value } of operations) addAt(copy, path, structuredClone(value));
  return copy;
}

function addAt(root: unknown, path: string, value: unknown): void {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop() ?? '';
  const parent = steps.reduce(childOf, root);
  if (Array.isArray(parent) && last === '-') parent.push(value);
  else if (typeof parent === 'object' && parent !== null && !Array.isArray(parent))
    Object.assign(parent, { [last]: value });
  else throw new Error(`${path} cannot be added: there is nothing to add it to`);
}

function childOf(value: unknown, step: string): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, step))
    return (value as Readonly<Record<string, unknown>>)[step];
  throw new Error(`there is no ${step} on the way`);
}
