/** Tolerations of the taint berth.sh/held, which Berth adds to pods for the nodes where they are planned. */
import { HELD_TAINT_KEY } from '../../../domain/nodes/held-taint.js';
import { plainObject, valueAt, withValueAt } from '../../decode/plain.js';

const TOLERATIONS = ['spec', 'tolerations'];
const NONE: readonly string[] = [];

/** The values that the pod tolerates. */
export function holdsOf(pod: unknown): readonly string[] {
  const held = listOf(pod).filter(isHeld);
  return held.length === 0 ? NONE : held.flatMap((item) => textOf(item, 'value') ?? []);
}

/** The pod as it was before it got any; the same object where it has none. */
export function withoutHolds(pod: unknown): unknown {
  const tolerations = listOf(pod);
  if (!tolerations.some(isHeld)) return pod;
  return withValueAt(
    pod,
    TOLERATIONS,
    tolerations.filter((item) => !isHeld(item)),
  );
}

function listOf(pod: unknown): readonly unknown[] {
  const list = valueAt(pod, TOLERATIONS);
  return Array.isArray(list) ? list : NONE;
}

function isHeld(toleration: unknown): boolean {
  return textOf(toleration, 'key') === HELD_TAINT_KEY;
}

function textOf(object: unknown, field: string): string | undefined {
  const value = plainObject(object)?.[field];
  return typeof value === 'string' ? value : undefined;
}
