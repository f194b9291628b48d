/** Which taints pods tolerate. */
import type { Taint, Toleration } from './objects.js';

export function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return tolerations?.some((toleration) => isFor(toleration, taint)) ?? false;
}

/** Whether this one is about the taint: an empty key with Exists, and an empty effect, are about all. */
export function isFor(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}
