/** Jobs: pods that end, until as many as wanted have succeeded, or too many have failed. */
import type { ActorContext } from '../cluster/actor.js';
import { keyOf } from '../cluster/cluster-api.js';
import { isTrue, withCondition } from '../cluster/conditions.js';
import type { Condition, Pod, Workload } from '../cluster/objects.js';
import { timestamp } from '../cluster/timestamps.js';
import { Controller, isActive, isReady, podFrom, remove, updateStatus } from './controller.js';

const RESOURCE = 'jobs.batch';
const NAME = 'job-controller';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const DEFAULT_BACKOFF_LIMIT = 6;

/** Pods that ended, whether they are still there or not. */
interface Ended {
  /** By index or uid. */
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
}

export function jobController(context: ActorContext): Controller {
  const ended = new Map<string, Ended>();
  return new Controller({
    context,
    name: NAME,
    resource: RESOURCE,
    kind: 'Job',
    owns: ['pods'],
    reconcile: (object) => {
      const job = object as Workload;
      const counted = ended.get(job.metadata.uid) ?? { succeeded: new Set(), failed: new Set() };
      ended.set(job.metadata.uid, counted);
      return reconcile(context, job, counted);
    },
  });
}

async function reconcile(context: ActorContext, job: Workload, ended: Ended): Promise<number | undefined> {
  const conditions = job.status?.['conditions'] as readonly Condition[] | undefined;
  if (isTrue(conditions, 'Complete') || isTrue(conditions, 'Failed')) return expire(context, job);
  const pods = context.view.ownedBy(job.metadata.uid);
  for (const pod of pods) count(pod, ended);
  const active = pods.filter(isActive);
  const outcome = outcomeOf(job, ended, active.length);
  const wanted = outcome === undefined && job.spec['suspend'] !== true ? wantedPods(job, ended) : 0;
  for (let extra = active.length - wanted; extra > 0; extra--) {
    const pod = active[active.length - extra];
    if (pod !== undefined) await remove(context, 'pods', pod);
  }
  const indices = freeIndices(job, active, ended);
  for (let missing = wanted - active.length; missing > 0; missing--)
    await create(context, job, indices.shift());
  await writeStatus(context, job, { ended, outcome });
  return undefined;
}

function count({ metadata, status }: Pod, { succeeded, failed }: Ended): void {
  if (status?.phase === 'Succeeded') succeeded.add(metadata.annotations?.[INDEX] ?? metadata.uid);
  if (status?.phase === 'Failed') failed.add(metadata.uid);
}

/** completions is absent in a work queue: it is done when one has succeeded and none runs. */
function outcomeOf(
  { spec }: Workload,
  { succeeded, failed }: Ended,
  active: number,
): 'Complete' | 'Failed' | undefined {
  const completions = spec['completions'] as number | undefined;
  const backoffLimit = Number(spec['backoffLimit'] ?? DEFAULT_BACKOFF_LIMIT);
  if (failed.size > backoffLimit) return 'Failed';
  const isDone =
    completions === undefined ? succeeded.size > 0 && active === 0 : succeeded.size >= completions;
  return isDone ? 'Complete' : undefined;
}

function wantedPods({ spec }: Workload, { succeeded }: Ended): number {
  const parallelism = Number(spec['parallelism'] ?? 1);
  const completions = spec['completions'] as number | undefined;
  if (completions === undefined) return succeeded.size > 0 ? 0 : parallelism;
  return Math.min(parallelism, completions - succeeded.size);
}

function freeIndices({ spec }: Workload, active: readonly Pod[], { succeeded }: Ended): string[] {
  if (spec['completionMode'] !== 'Indexed') return [];
  const taken = new Set(active.map(({ metadata }) => metadata.annotations?.[INDEX]));
  const all = Array.from({ length: Number(spec['completions'] ?? 0) }, (_, index) => String(index));
  return all.filter((index) => !taken.has(index) && !succeeded.has(index));
}

async function create(
  { api, trace, events }: ActorContext,
  job: Workload,
  index: string | undefined,
): Promise<void> {
  const { name, uid } = job.metadata;
  const pod = await api.create(
    'pods',
    podFrom({
      owner: job,
      template: job.spec.template,
      labels: {
        'batch.kubernetes.io/job-name': name,
        'batch.kubernetes.io/controller-uid': uid,
        'job-name': name,
        'controller-uid': uid,
      },
      annotations: index === undefined ? undefined : { [INDEX]: index },
    }),
  );
  trace.add(NAME, `pod/${keyOf(pod)}`, 'created');
  const message = `Created pod: ${pod.metadata.name}`;
  events.record(job, { type: 'Normal', reason: 'SuccessfulCreate', message, component: NAME });
}

async function writeStatus(
  context: ActorContext,
  job: Workload,
  { ended, outcome }: { readonly ended: Ended; readonly outcome: 'Complete' | 'Failed' | undefined },
): Promise<void> {
  const now = context.clock.now();
  const active = context.view.ownedBy(job.metadata.uid).filter(isActive);
  const before = job.status?.['conditions'] as readonly Condition[] | undefined;
  const reason = outcome === 'Failed' ? 'BackoffLimitExceeded' : 'CompletionsReached';
  const conditions =
    outcome === undefined ? before : withCondition(before, { type: outcome, status: 'True', reason }, now);
  if (outcome !== undefined) context.trace.add(NAME, `job/${keyOf(job)}`, outcome);
  await updateStatus(context, RESOURCE, job, {
    active: active.length,
    ready: active.filter(isReady).length,
    succeeded: ended.succeeded.size,
    failed: ended.failed.size,
    startTime: job.status?.['startTime'] ?? timestamp(now),
    ...(conditions && { conditions }),
    ...(outcome === 'Complete' && { completionTime: timestamp(now) }),
  });
}

/** ttlSecondsAfterFinished. */
async function expire(context: ActorContext, job: Workload): Promise<number | undefined> {
  const seconds = job.spec['ttlSecondsAfterFinished'] as number | undefined;
  if (seconds === undefined) return undefined;
  const conditions = (job.status?.['conditions'] ?? []) as readonly Condition[];
  const end = conditions.find(({ type }) => type === 'Complete' || type === 'Failed');
  const left = Date.parse(end?.lastTransitionTime ?? '') + seconds * 1000 - context.clock.now();
  if (left > 0) return left;
  await remove(context, RESOURCE, job);
  return undefined;
}
