/** The least of a kube-scheduler: binds a pod where it fits, the nominated node first, and says so when it fits nowhere. */
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import { addResources, NO_RESOURCES, subtractResources } from '../../../src/domain/values/resources.js';
import { fitsWithin } from '../../support/builders/resources.js';
import { firstUntolerated } from '../../../src/domain/values/taint.js';
import { UNSCHEDULABLE } from '../../support/builders/unschedulable-pod.js';
import type { InMemoryObjects } from '../../support/in-memory/in-memory-objects.js';

/** As an extender: the nodes that the pod may go to, of those that it fits on. */
export type Extend = (pod: ObservedPod, nodes: readonly ObservedNode[]) => readonly ObservedNode[];

/** Looks at every pending pod once. */
export function schedule(objects: InMemoryObjects, extend: Extend = (_, nodes) => nodes): void {
  for (const pod of objects.list('Pod')) {
    if (pod.nodeName !== undefined || pod.terminating) continue;
    const fitting = extend(
      pod,
      objects.list('Node').filter((node) => takes(objects, node, pod)),
    );
    const node = fitting.find(({ name }) => name === pod.nominatedNodeName) ?? fitting[0];
    if (node !== undefined) bind(objects, pod, node.name);
    else if (pod.scheduled?.reason !== UNSCHEDULABLE.reason)
      objects.put('Pod', { ...pod, scheduled: UNSCHEDULABLE });
  }
}

function takes(objects: InMemoryObjects, node: ObservedNode, { spec }: ObservedPod): boolean {
  if (!node.ready || node.unschedulable || firstUntolerated(node.taints, spec.tolerations)) return false;
  const used = objects
    .list('Pod')
    .filter(({ nodeName }) => nodeName === node.name)
    .reduce((sum, { spec: { requests } }) => addResources(sum, requests), NO_RESOURCES);
  return fitsWithin(spec.requests, subtractResources(node.allocatable, used));
}

function bind(objects: InMemoryObjects, pod: ObservedPod, nodeName: string): void {
  const current = objects.get('Pod', podKey(pod)) ?? pod;
  objects.put('Pod', {
    ...current,
    nodeName,
    phase: 'Running',
    ready: true,
    nominatedNodeName: undefined,
    scheduled: { status: true, reason: '', message: '' },
  });
}
