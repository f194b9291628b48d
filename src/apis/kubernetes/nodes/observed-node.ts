/** V1Node of the API server → domain: what scheduling sees, and what the life cycle of a node needs besides. */
import type { NodeCondition, ObservedNode } from '../../../domain/nodes/observed-node.js';
import { elements, member, optionalText, rootField, type Field } from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { decodeNode, type VolumeLimits } from './node.js';
import { readObjectMeta } from '../object/object-meta.js';
import { isConditionTrue } from '../pods/observed-pod.js';
import { readTime } from '../object/time.js';

const STATUSES = ['True', 'False', 'Unknown'] as const;

/** Decodes a node as watched; `volumeLimits` are those of the CSINode of the same name. Never throws. */
export function decodeObservedNode(object: unknown, volumeLimits?: VolumeLimits): Decoded<ObservedNode> {
  const { value: node, findings } = decodeNode(object, volumeLimits);
  const root = rootField(object);
  // Name and labels are read, and reported, by decodeNode.
  const meta = readObjectMeta({ ...root, findings: [] });
  if (node === undefined || meta === undefined) return { value: undefined, findings };
  const status = member(root, 'status');
  const conditions = elements(member(status, 'conditions'));
  const known = conditions.flatMap(readCondition);
  const value: ObservedNode = {
    ...node,
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    createdAt: meta.createdAt,
    deletionTimestamp: meta.deletionTimestamp,
    finalizers: meta.finalizers,
    bootID: optionalText(member(member(status, 'nodeInfo'), 'bootID')) ?? '',
    annotations: meta.annotations,
    ready: isConditionTrue(conditions, 'Ready'),
    readySince: known.find(({ type }) => type === 'Ready')?.since,
    conditions: known,
  };
  return { value, findings: [...findings, ...root.findings] };
}

/** A status that is none of the three says nothing. */
function readCondition(item: Field): readonly NodeCondition[] {
  const type = member(item, 'type').value;
  const status = STATUSES.find((known) => known === member(item, 'status').value);
  if (typeof type !== 'string' || status === undefined) return [];
  const reason = member(item, 'reason').value;
  return [
    {
      type,
      status,
      reason: typeof reason === 'string' ? reason : '',
      since: readTime(member(item, 'lastTransitionTime')),
    },
  ];
}
