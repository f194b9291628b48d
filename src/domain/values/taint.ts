/** Taints of nodes and the tolerations that let pods onto them (Kubernetes: taint-and-toleration). */

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
export type TaintEffect = (typeof TAINT_EFFECTS)[number];

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
}

/** A toleration; an empty key with Exists tolerates every key, an undefined effect every effect. */
export interface Toleration {
  readonly key: string;
  readonly operator: 'Exists' | 'Equal';
  readonly value: string;
  readonly effect: TaintEffect | undefined;
}

/** `spec.unschedulable` acts like this taint (kube-scheduler's NodeUnschedulable plugin). */
export const UNSCHEDULABLE_TAINT: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
};

/** Whether the taint is among these: key and effect are what tells taints apart. */
export function hasTaint(
  taints: readonly Pick<Taint, 'key' | 'effect'>[],
  { key, effect }: Pick<Taint, 'key' | 'effect'>,
): boolean {
  return taints.some((taint) => taint.key === key && taint.effect === effect);
}

/** Whether this toleration matches this taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  if (toleration.key === '') return toleration.operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || toleration.value === taint.value;
}

/** The first taint with one of the effects that no toleration matches, in the order of the taints. */
export function firstUntolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly TaintEffect[] = ['NoSchedule', 'NoExecute'],
): Taint | undefined {
  return taints.find(
    (taint) =>
      effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** `key=value:Effect`, as kubectl writes it. */
export function formatTaint(taint: Taint): string {
  return `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}:${taint.effect}`;
}
