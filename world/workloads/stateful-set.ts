/** StatefulSets: pods with ordinals and claims of their own, one after another unless they may come at once. */
import type { ActorContext } from '../cluster/actor.js';
import { isOvertaken, keyOf } from '../cluster/cluster-api.js';
import type { Pod, Template, Workload } from '../cluster/objects.js';
import { Controller, isActive, isReady, podFrom, remove, templateHash, updateStatus } from './controller.js';

const RESOURCE = 'statefulsets.apps';
const NAME = 'statefulset-controller';
const REVISION_LABEL = 'controller-revision-hash';

interface ClaimTemplate {
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

export function statefulSetController(context: ActorContext): Controller {
  return new Controller({
    context,
    name: NAME,
    resource: RESOURCE,
    kind: 'StatefulSet',
    owns: ['pods'],
    reconcile: (object) => reconcile(context, object as Workload),
  });
}

async function reconcile(context: ActorContext, set: Workload): Promise<undefined> {
  const pods = new Map(
    context.view.ownedBy(set.metadata.uid).map((pod) => [pod.metadata.name, pod] as const),
  );
  await step(context, set, pods);
  await writeStatus(context, set);
}

/** Creates what is missing from the first on, then removes what is too much from the last on, then renews. */
async function step(context: ActorContext, set: Workload, pods: ReadonlyMap<string, Pod>): Promise<void> {
  const { replicas = 1 } = set.spec;
  const isParallel = set.spec['podManagementPolicy'] === 'Parallel';
  for (let ordinal = 0; ordinal < replicas; ordinal++) {
    const isDone = await provide(context, set, { ordinal, pod: pods.get(nameOf(set, ordinal)) });
    if (!isDone && !isParallel) return;
  }
  const extra = [...pods.values()]
    .filter((pod) => ordinalOf(set, pod) >= replicas)
    .sort((a, b) => ordinalOf(set, b) - ordinalOf(set, a));
  for (const pod of isParallel ? extra : extra.slice(0, 1))
    if (pod.metadata.deletionTimestamp === undefined) await removePod(context, pod);
  if (extra.length === 0) await renew(context, set, pods);
}

/** Answers whether the pod is there and Ready. */
async function provide(
  context: ActorContext,
  set: Workload,
  { ordinal, pod }: { readonly ordinal: number; readonly pod: Pod | undefined },
): Promise<boolean> {
  if (pod === undefined) await create(context, set, ordinal);
  else if (isActive(pod)) return isReady(pod);
  else if (pod.metadata.deletionTimestamp === undefined) await remove(context, 'pods', pod);
  return false;
}

/** RollingUpdate: the last outdated pod goes when all are ready. */
async function renew(context: ActorContext, set: Workload, pods: ReadonlyMap<string, Pod>): Promise<void> {
  const strategy = set.spec['updateStrategy'] as { readonly type?: string } | undefined;
  if (strategy?.type === 'OnDelete') return;
  if (![...pods.values()].every((pod) => isActive(pod) && isReady(pod))) return;
  const revision = revisionOf(set);
  const outdated = [...pods.values()]
    .filter((pod) => pod.metadata.labels?.[REVISION_LABEL] !== revision)
    .sort((a, b) => ordinalOf(set, b) - ordinalOf(set, a));
  const [last] = outdated;
  if (last !== undefined) await removePod(context, last);
}

async function removePod(context: ActorContext, pod: Pod): Promise<void> {
  context.trace.add(NAME, `pod/${keyOf(pod)}`, 'deleted');
  await remove(context, 'pods', pod);
}

async function create(context: ActorContext, set: Workload, ordinal: number): Promise<void> {
  const { api, trace, events } = context;
  const name = nameOf(set, ordinal);
  const claims = (set.spec['volumeClaimTemplates'] ?? []) as readonly ClaimTemplate[];
  for (const claim of claims) await createClaim(context, set, { claim, podName: name });
  const volumes = claims.map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }));
  const { template } = set.spec;
  const own = ((template.spec?.['volumes'] ?? []) as readonly { readonly name: string }[]).filter(
    (volume) => !volumes.some((each) => each.name === volume.name),
  );
  const withVolumes: Template = {
    ...template,
    spec: {
      ...template.spec,
      hostname: name,
      ...(claims.length > 0 && { volumes: [...own, ...volumes] }),
    },
  };
  const labels = {
    [REVISION_LABEL]: revisionOf(set),
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
  };
  const pod = await api.create('pods', podFrom({ owner: set, template: withVolumes, name, labels }));
  trace.add(NAME, `pod/${keyOf(pod)}`, 'created');
  const message = `create Pod ${name} in StatefulSet ${set.metadata.name} successful`;
  events.record(set, { type: 'Normal', reason: 'SuccessfulCreate', message, component: NAME });
}

/** Claims outlive their pods. */
async function createClaim(
  { api }: ActorContext,
  { metadata }: Workload,
  { claim, podName }: { readonly claim: ClaimTemplate; readonly podName: string },
): Promise<void> {
  const { namespace } = metadata;
  const name = `${claim.metadata.name}-${podName}`;
  try {
    await api.create('persistentvolumeclaims', { metadata: { name, namespace }, spec: claim.spec });
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
}

async function writeStatus(context: ActorContext, set: Workload): Promise<void> {
  const pods = context.view.ownedBy(set.metadata.uid).filter(isActive);
  const ready = pods.filter(isReady).length;
  const revision = revisionOf(set);
  const updated = pods.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === revision).length;
  await updateStatus(context, RESOURCE, set, {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    updatedReplicas: updated,
    currentReplicas: updated,
    updateRevision: revision,
    ...(updated === pods.length && { currentRevision: revision }),
    observedGeneration: set.metadata.generation,
  });
}

function nameOf({ metadata }: Workload, ordinal: number): string {
  return `${metadata.name}-${String(ordinal)}`;
}

function ordinalOf({ metadata }: Workload, pod: Pod): number {
  return Number(pod.metadata.name.slice(metadata.name.length + 1));
}

function revisionOf({ metadata, spec }: Workload): string {
  return `${metadata.name}-${templateHash(spec.template)}`;
}
