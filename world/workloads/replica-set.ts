/** ReplicaSets: as many pods as asked for; orphans that fit are adopted, the least useful pods go first. */
import type { ActorContext } from '../cluster/actor.js';
import { keyOf, refOf } from '../cluster/cluster-api.js';
import type { KubeObject, Pod, Workload } from '../cluster/objects.js';
import { selects } from '../kubernetes/objects/label-selector.js';
import {
  Controller,
  controllerOf,
  isActive,
  isReady,
  ownerReference,
  podFrom,
  remove,
  updateStatus,
} from './controller.js';

const RESOURCE = 'replicasets.apps';
const NAME = 'replicaset-controller';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export function replicaSetController(context: ActorContext): Controller {
  return new Controller({
    context,
    name: NAME,
    resource: RESOURCE,
    kind: 'ReplicaSet',
    owns: ['pods'],
    reconcile: (object) => reconcile(context, object as Workload),
  });
}

async function reconcile(context: ActorContext, set: Workload): Promise<undefined> {
  await adopt(context, set);
  const pods = context.view.ownedBy(set.metadata.uid).filter(isActive);
  const { replicas = 1 } = set.spec;
  for (let missing = replicas - pods.length; missing > 0; missing--) await create(context, set);
  if (pods.length > replicas) {
    const first = [...pods].sort(compareUsefulness).slice(0, pods.length - replicas);
    for (const pod of first) await destroy(context, set, pod);
  }
  await writeStatus(context, set);
}

/** Pods without an owner that the selector matches. */
async function adopt({ api, view }: ActorContext, set: Workload): Promise<void> {
  const { namespace = '' } = set.metadata;
  const orphans = view
    .inNamespace(namespace)
    .filter(
      (pod) =>
        controllerOf(pod) === undefined && isActive(pod) && selects(set.spec.selector, pod.metadata.labels),
    );
  for (const orphan of orphans)
    await api.change('pods', refOf(orphan), (pod) => ({
      ...pod,
      metadata: {
        ...pod.metadata,
        ownerReferences: [...(pod.metadata.ownerReferences ?? []), ownerReference(set)],
      },
    }));
}

async function create({ api, events, trace }: ActorContext, set: Workload): Promise<void> {
  const pod = await api.create('pods', podFrom({ owner: set, template: set.spec.template }));
  trace.add(NAME, `pod/${keyOf(pod)}`, 'created');
  const message = `Created pod: ${pod.metadata.name}`;
  events.record(set, { type: 'Normal', reason: 'SuccessfulCreate', message, component: NAME });
}

async function destroy(context: ActorContext, set: Workload, pod: Pod): Promise<void> {
  context.trace.add(NAME, `pod/${keyOf(pod)}`, 'deleted');
  await remove(context, 'pods', pod);
  const message = `Deleted pod: ${pod.metadata.name}`;
  context.events.record(set, { type: 'Normal', reason: 'SuccessfulDelete', message, component: NAME });
}

async function writeStatus(context: ActorContext, set: KubeObject): Promise<void> {
  const pods = context.view.ownedBy(set.metadata.uid).filter(isActive);
  const ready = pods.filter(isReady).length;
  await updateStatus(context, RESOURCE, set, {
    replicas: pods.length,
    fullyLabeledReplicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: set.metadata.generation,
  });
}

/** Those to delete first come first (ActivePods of kube-controller-manager). */
function compareUsefulness(left: Pod, right: Pod): number {
  const keys = [left, right].map((pod) => [
    Number((pod.spec.nodeName ?? '') !== ''),
    Number(pod.status?.phase === 'Running'),
    Number(isReady(pod)),
    Number(pod.metadata.annotations?.[DELETION_COST] ?? 0),
    -Date.parse(pod.metadata.creationTimestamp),
  ]);
  const [a = [], b = []] = keys;
  const at = a.findIndex((value, index) => value !== b[index]);
  if (at >= 0) return (a[at] ?? 0) - (b[at] ?? 0);
  return left.metadata.name < right.metadata.name ? -1 : 1;
}
