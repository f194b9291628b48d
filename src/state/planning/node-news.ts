/** Which news of a Node are news for planning: kubelets tell all the time that nothing has changed. */
import { isDeepStrictEqual } from 'node:util';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { Change } from '../cluster/store.js';
import { DO_NOT_DISRUPT_ANNOTATION, DO_NOT_REPAIR_ANNOTATION } from './disruption-input.js';

/** Whether a question about the cluster may have another answer after it: all that planning and disruption read of a Node. */
export function isNewsForPlanning({ before, after }: Omit<Change<ObservedNode>, 'key'>): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return !isDeepStrictEqual(readOf(before), readOf(after));
}

function readOf(node: ObservedNode): unknown {
  return [
    node.uid,
    node.labels,
    node.taints,
    node.unschedulable,
    node.allocatable,
    node.capacity,
    node.providerID,
    node.volumeLimits,
    node.declaredFeatures,
    node.deletionTimestamp === undefined,
    node.ready,
    node.conditions.map(({ type, status, reason }) => [type, status, reason]),
    node.annotations.get(DO_NOT_DISRUPT_ANNOTATION),
    node.annotations.get(DO_NOT_REPAIR_ANNOTATION),
  ];
}
