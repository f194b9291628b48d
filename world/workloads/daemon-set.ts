/** DaemonSets: one pod on each node that its template may go to. */
import type { ActorContext } from '../cluster/actor.js';
import { keyOf } from '../cluster/cluster-api.js';
import type { Affinity, Node, Pod, PodSpec, Template, Toleration, Workload } from '../cluster/objects.js';
import { matchesNode } from '../kubernetes/objects/node-selector.js';
import { tolerates } from '../cluster/tolerations.js';
import { Controller, isActive, isReady, podFrom, remove, templateHash, updateStatus } from './controller.js';

const RESOURCE = 'daemonsets.apps';
const NAME = 'daemonset-controller';
const HASH_LABEL = 'controller-revision-hash';

/** What the controller adds, so that its pods come first and go last. */
const TOLERATIONS: readonly Toleration[] = [
  ...['not-ready', 'unreachable'].map((name) => ({ name, effect: 'NoExecute' })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    name,
    effect: 'NoSchedule',
  })),
].map(({ name, effect }) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));

export function daemonSetController(context: ActorContext): Controller {
  return new Controller({
    context,
    name: NAME,
    resource: RESOURCE,
    kind: 'DaemonSet',
    owns: ['pods'],
    reconcile: (object) => reconcile(context, object as Workload),
  });
}

async function reconcile(context: ActorContext, set: Workload): Promise<undefined> {
  const nodes = (context.api.list('nodes') as readonly Node[]).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  const byNode = groupByNode(context.view.ownedBy(set.metadata.uid));
  const spec = (set.spec.template.spec ?? {}) as unknown as PodSpec;
  for (const node of nodes) {
    const pods = byNode.get(node.metadata.name) ?? [];
    const fit = fitOf(spec, node);
    if (fit.runs && pods.length === 0) await create(context, set, node);
    for (const pod of fit.stays ? pods.slice(1).filter(isActive) : pods.filter(isActive))
      await remove(context, 'pods', pod);
    for (const pod of pods) if (isOver(pod)) await remove(context, 'pods', pod);
  }
  await forgetUnplaced(context, byNode);
  await renew(context, set);
  await writeStatus(context, set, nodes.filter((node) => fitOf(spec, node).runs).length);
}

function groupByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const target = targetOf(pod);
    groups.set(target, [...(groups.get(target) ?? []), pod]);
  }
  return groups;
}

/** Pods made for a node that is gone before they were bound. */
async function forgetUnplaced(
  context: ActorContext,
  byNode: ReadonlyMap<string, readonly Pod[]>,
): Promise<void> {
  for (const [name, pods] of byNode) {
    if (context.api.get('nodes', { name }) !== undefined) continue;
    for (const pod of pods) if ((pod.spec.nodeName ?? '') === '') await remove(context, 'pods', pod);
  }
}

function isOver(pod: Pod): boolean {
  return !isActive(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** The node that the pod is on, or made for. */
function targetOf({ spec }: Pod): string {
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const { nodeName = '' } = spec;
  return nodeName === '' ? (terms?.[0]?.matchFields?.[0]?.values?.[0] ?? '') : nodeName;
}

/** Whether a pod is to be there, and whether one that is may stay. */
function fitOf(spec: PodSpec, node: Node): { readonly runs: boolean; readonly stays: boolean } {
  const isWanted = wants(spec, node);
  const tolerations = [...(spec.tolerations ?? []), ...TOLERATIONS];
  const untolerated = (node.spec?.taints ?? []).filter((taint) => !tolerates(tolerations, taint));
  return {
    runs: isWanted && untolerated.every(({ effect }) => effect === 'PreferNoSchedule'),
    stays: isWanted && untolerated.every(({ effect }) => effect !== 'NoExecute'),
  };
}

function wants({ affinity, nodeSelector = {} }: PodSpec, { metadata }: Node): boolean {
  const { labels = {}, name } = metadata;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    (terms === undefined || matchesNode(terms, labels, name))
  );
}

async function create({ api, trace, events }: ActorContext, set: Workload, node: Node): Promise<void> {
  const labels = { [HASH_LABEL]: templateHash(set.spec.template) };
  const pod = await api.create(
    'pods',
    podFrom({ owner: set, template: pinned(set.spec.template, node), labels }),
  );
  trace.add(NAME, `pod/${keyOf(pod)}`, `created for ${node.metadata.name}`);
  const message = `Created pod: ${pod.metadata.name}`;
  events.record(set, { type: 'Normal', reason: 'SuccessfulCreate', message, component: NAME });
}

/** kube-scheduler binds the pod, to this node alone. */
function pinned(template: Template, { metadata }: Node): Template {
  const { affinity, tolerations = [] } = (template.spec ?? {}) as {
    readonly affinity?: Affinity;
    readonly tolerations?: readonly Toleration[];
  };
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [metadata.name] }];
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
  };
  return {
    ...template,
    spec: {
      ...template.spec,
      affinity: { ...affinity, nodeAffinity },
      tolerations: [...tolerations, ...TOLERATIONS],
    },
  };
}

/** One outdated pod at a time, while all are ready. */
async function renew(context: ActorContext, set: Workload): Promise<void> {
  const strategy = set.spec['updateStrategy'] as { readonly type?: string } | undefined;
  const hash = templateHash(set.spec.template);
  const pods = context.view.ownedBy(set.metadata.uid);
  const outdated = pods.find(({ metadata }) => metadata.labels?.[HASH_LABEL] !== hash);
  if (strategy?.type === 'OnDelete' || outdated === undefined) return;
  if (pods.every((pod) => isActive(pod) && isReady(pod))) await remove(context, 'pods', outdated);
}

async function writeStatus(context: ActorContext, set: Workload, desired: number): Promise<void> {
  const pods = context.view.ownedBy(set.metadata.uid).filter(isActive);
  const placed = pods.filter(({ spec }) => (spec.nodeName ?? '') !== '');
  const ready = placed.filter(isReady).length;
  const hash = templateHash(set.spec.template);
  await updateStatus(context, RESOURCE, set, {
    desiredNumberScheduled: desired,
    currentNumberScheduled: placed.length,
    updatedNumberScheduled: placed.filter(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash).length,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: Math.max(desired - ready, 0),
    numberMisscheduled: 0,
    observedGeneration: set.metadata.generation,
  });
}
