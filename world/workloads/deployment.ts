/** Deployments: a ReplicaSet for each template, and the pods moved from old ones to the new one within surge and unavailability. */
import type { ActorContext } from '../cluster/actor.js';
import { keyOf, refOf } from '../cluster/cluster-api.js';
import { withCondition } from '../cluster/conditions.js';
import type { LabelSelector } from '../kubernetes/objects/label-selector.js';
import type { Condition, KubeObject, Workload } from '../cluster/objects.js';
import {
  Controller,
  controllerOf,
  ownerReference,
  remove,
  templateHash,
  updateStatus,
} from './controller.js';
import { scaled } from './int-or-percent.js';

const RESOURCE = 'deployments.apps';
const REPLICA_SETS = 'replicasets.apps';
const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
const NAME = 'deployment-controller';
/** While the last pods of a template go. */
const LOOK_AGAIN_MILLIS = 500;

interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
}

export function deploymentController(context: ActorContext): Controller {
  return new Controller({
    context,
    name: NAME,
    resource: RESOURCE,
    kind: 'Deployment',
    owns: [REPLICA_SETS],
    reconcile: (object) => reconcile(context, object as Workload),
  });
}

async function reconcile(context: ActorContext, deployment: Workload): Promise<number | undefined> {
  const all = setsOf(context, deployment);
  const hash = templateHash(deployment.spec.template);
  const current =
    all.find(({ metadata }) => metadata.labels?.[HASH_LABEL] === hash) ??
    (await createSet(context, deployment, { hash, revision: all.length + 1 }));
  const old = all.filter(({ metadata }) => metadata.uid !== current.metadata.uid);
  if (deployment.spec['paused'] !== true) await roll(context, deployment, current, old);
  await writeStatus(context, deployment, current.metadata.uid);
  await forgetOld(context, deployment, old);
  return isRecreating(deployment) && runs(context, old) ? LOOK_AGAIN_MILLIS : undefined;
}

function isRecreating({ spec }: Workload): boolean {
  return (spec['strategy'] as Strategy | undefined)?.type === 'Recreate';
}

/** Whether a pod of these is left, even one that is about to go. */
function runs({ view }: ActorContext, sets: readonly Workload[]): boolean {
  return sets.some(({ metadata }) =>
    view
      .ownedBy(metadata.uid)
      .some(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed'),
  );
}

function setsOf({ api }: ActorContext, { metadata }: KubeObject): readonly Workload[] {
  return (api.list(REPLICA_SETS) as readonly Workload[]).filter(
    (set) => controllerOf(set)?.uid === metadata.uid && set.metadata.deletionTimestamp === undefined,
  );
}

async function createSet(
  { api, trace }: ActorContext,
  deployment: Workload,
  { hash, revision }: { readonly hash: string; readonly revision: number },
): Promise<Workload> {
  const { name, namespace } = deployment.metadata;
  const { template, selector } = deployment.spec;
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const narrowed: LabelSelector = {
    ...selector,
    matchLabels: { ...selector?.matchLabels, [HASH_LABEL]: hash },
  };
  const set = await api.create(REPLICA_SETS, {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { [REVISION]: String(revision) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas: 0,
      selector: narrowed,
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
  trace.add(NAME, `replicaset/${keyOf(set)}`, 'created');
  return set as Workload;
}

/** One step of the way from the old sets to the current one. */
async function roll(
  context: ActorContext,
  deployment: Workload,
  current: Workload,
  old: readonly Workload[],
): Promise<void> {
  const { replicas = 1 } = deployment.spec;
  const isRecreate = isRecreating(deployment);
  if (old.every((set) => specReplicas(set) === 0)) {
    if (!isRecreate || !runs(context, old)) await scale(context, current, replicas);
  } else if (isRecreate) {
    for (const set of old) await scale(context, set, 0);
  } else {
    const strategy = deployment.spec['strategy'] as Strategy | undefined;
    const bounds = boundsOf(strategy?.rollingUpdate, replicas);
    await grow(context, current, { replicas, most: bounds.most - sum(old, specReplicas) });
    await shrink(context, old, sum([current, ...old], availableReplicas) - bounds.least);
  }
}

/** How many pods there may be at most, and must be available at least. */
function boundsOf(
  { maxSurge = '25%', maxUnavailable = '25%' }: NonNullable<Strategy['rollingUpdate']> = {},
  replicas: number,
): { readonly most: number; readonly least: number } {
  const surge = scaled(maxSurge, replicas, 'up');
  const unavailable = scaled(maxUnavailable, replicas, 'down');
  const isStuck = surge === 0 && unavailable === 0;
  return { most: replicas + surge, least: replicas - (isStuck ? 1 : unavailable) };
}

async function grow(
  context: ActorContext,
  current: Workload,
  { replicas, most }: { readonly replicas: number; readonly most: number },
): Promise<void> {
  await scale(
    context,
    current,
    Math.max(Math.min(replicas, most), Math.min(replicas, specReplicas(current))),
  );
}

/** Pods that are not available may always go; of the others, as many as can be spared. */
async function shrink(context: ActorContext, old: readonly Workload[], spare: number): Promise<void> {
  let left = Math.max(spare, 0) + sum(old, (set) => Math.max(specReplicas(set) - availableReplicas(set), 0));
  for (const set of old) {
    const fewer = Math.min(left, specReplicas(set));
    left -= fewer;
    if (fewer > 0) await scale(context, set, specReplicas(set) - fewer);
  }
}

function specReplicas({ spec }: Workload): number {
  return spec.replicas ?? 0;
}

async function scale({ api, events, trace }: ActorContext, set: Workload, replicas: number): Promise<void> {
  if (set.spec.replicas === replicas) return;
  await api.change(REPLICA_SETS, refOf(set), (current) => ({
    ...current,
    spec: { ...(current as Workload).spec, replicas },
  }));
  trace.add(NAME, `replicaset/${keyOf(set)}`, `scaled to ${String(replicas)}`);
  const { namespace = '' } = set.metadata;
  const owner = api.get(RESOURCE, { namespace, name: controllerOf(set)?.name ?? '' });
  const direction = replicas > specReplicas(set) ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${String(specReplicas(set))} to ${String(replicas)}`;
  events.record(owner ?? set, { type: 'Normal', reason: 'ScalingReplicaSet', message, component: NAME });
}

async function writeStatus(context: ActorContext, deployment: Workload, currentUid: string): Promise<void> {
  const sets = setsOf(context, deployment);
  const { replicas = 1 } = deployment.spec;
  const current = sets.filter(({ metadata }) => metadata.uid === currentUid);
  const available = sum(sets, availableReplicas);
  const isAvailable = available >= replicas;
  const isDone = sum(current, availableReplicas) >= replicas;
  const { clock } = context;
  const before = deployment.status?.['conditions'] as readonly Condition[] | undefined;
  const conditions = withCondition(
    withCondition(
      before,
      {
        type: 'Available',
        status: isAvailable ? 'True' : 'False',
        reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      },
      clock.now(),
    ),
    { type: 'Progressing', status: 'True', reason: isDone ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated' },
    clock.now(),
  );
  await updateStatus(context, RESOURCE, deployment, {
    replicas: sum(sets, statusReplicas),
    updatedReplicas: sum(current, statusReplicas),
    readyReplicas: sum(sets, ({ status }) => Number(status?.['readyReplicas'] ?? 0)),
    availableReplicas: available,
    unavailableReplicas: Math.max(replicas - available, 0),
    observedGeneration: deployment.metadata.generation,
    conditions,
  });
}

/** Empty sets beyond the history that is kept, the oldest first. */
async function forgetOld(
  context: ActorContext,
  deployment: Workload,
  old: readonly Workload[],
): Promise<void> {
  const kept = Number(deployment.spec['revisionHistoryLimit'] ?? 10);
  const empty = old
    .filter((set) => set.spec.replicas === 0 && statusReplicas(set) === 0)
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  for (const set of empty.slice(0, Math.max(empty.length - kept, 0)))
    await remove(context, REPLICA_SETS, set);
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

function statusReplicas({ status }: Workload): number {
  return Number(status?.['replicas'] ?? 0);
}

function availableReplicas({ status }: Workload): number {
  return Number(status?.['availableReplicas'] ?? 0);
}

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
