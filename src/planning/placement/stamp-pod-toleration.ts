/** Tolerations compared: whether one that a pod has makes another superfluous. */
import type { PodToleration } from './stamp-pod-view.js';

/**
 * Whether whatever `asked` tolerates is tolerated by `present` already. For how long does not matter: of several that match
 * a taint the shortest time counts (Kubernetes: taint-and-toleration), so adding one could only take time away.
 */
export function covers(present: PodToleration, asked: PodToleration): boolean {
  if (present.effect !== '' && present.effect !== asked.effect) return false;
  if (present.key === '') return present.operator === 'Exists';
  if (present.key !== asked.key) return false;
  if (present.operator === 'Exists') return true;
  return present.operator === asked.operator && present.value === asked.value;
}

/** `key=value:Effect`, as kubectl writes taints; `*` stands for every key. */
export function formatToleration({ key, operator, value, effect }: PodToleration): string {
  const compared = operator === 'Exists' ? '' : `=${value}`;
  return `${key === '' ? '*' : key}${compared}${effect === '' ? '' : `:${effect}`}`;
}
