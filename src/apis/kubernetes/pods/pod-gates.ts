/** Scheduling gates of a pod, and what Berth put in the place of its own: a node selector for one node. */
import { gateState, PINNED_ANNOTATION } from '../../../domain/pods/gate.js';
import type { Pod } from '../../../domain/pods/pod.js';
import { HOSTNAME } from '../../../domain/values/labels.js';
import { plainObject, valueAt, withoutValueAt } from '../../decode/plain.js';
import { elements, member, optionalText, type Field } from '../object/field.js';

/** Of a pod's spec or that of a template. */
export function readGates(spec: Field): Pick<Pod, 'schedulingGated' | 'awaitsPlace'> {
  const gates = elements(member(spec, 'schedulingGates'));
  return gates.length === 0 ? NONE : gateState(gates.map((gate) => optionalText(member(gate, 'name')) ?? ''));
}

const NONE = gateState([]);

/** The hostname that the annotation and the node selector agree on; undefined for a pod that is not pinned. */
export function pinOf(pod: unknown): string | undefined {
  const pin = valueAt(pod, ['metadata', 'annotations', PINNED_ANNOTATION]);
  if (typeof pin !== 'string' || pin === '') return undefined;
  return valueAt(pod, [...NODE_SELECTOR, HOSTNAME]) === pin ? pin : undefined;
}

/** The pod as it was before it was pinned. */
export function withoutPin(pod: unknown): unknown {
  const root = plainObject(pod);
  if (root === undefined) return pod;
  const entries = Object.keys(plainObject(valueAt(root, NODE_SELECTOR)) ?? {});
  return withoutValueAt(root, entries.length > 1 ? [...NODE_SELECTOR, HOSTNAME] : NODE_SELECTOR);
}

const NODE_SELECTOR = ['spec', 'nodeSelector'];
