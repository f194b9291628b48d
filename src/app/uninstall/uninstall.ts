/**
 * Removes Berth from a cluster, up to what `helm uninstall` does: webhooks, policies, then its nodes or its hold on them. Each step is
 * looked for before it is done, so that a killed run can be repeated from the start.
 */
import { decodeLease } from '../../apis/kubernetes/nodes/lease.js';
import { POLICY_LABEL } from '../../apis/policies/policy-documents.js';
import { TERMINATION_FINALIZER } from '../../domain/nodes/node-claim.js';
import { PLAN_GATE } from '../../domain/pods/gate.js';
import { DELETE_ANNOTATION, policyStatusName } from '../../domain/policies/policy.js';
import { LEADER_LEASE } from '../../domain/records/lease.js';
import { counted } from '../../domain/values/text.js';
import type { Clock } from '../../ports/clock.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import {
  NODE_CLAIMS,
  NODES,
  type KubeObject,
  type KubeObjects,
  type ObjectKind,
} from '../handover/kube-objects.js';

/** drain: nodes are drained and terminated; keep: instances and nodes stay, without Berth. */
export type UninstallWay = 'drain' | 'keep';

export interface Uninstallation {
  readonly way: UninstallWay;
  /** Berth's own. */
  readonly namespace: string;
  readonly objects: KubeObjects;
  readonly clock: Clock;
  /** Called with one sentence for each step that is done, and for what is left meanwhile. */
  readonly tell: (text: string) => void;
  /** For all nodes to go. */
  readonly timeoutMillis: number;
  readonly signal?: AbortSignal | undefined;
}

const ADMISSION = 'admissionregistration.k8s.io/v1';
const WEBHOOKS: readonly (readonly [kind: ObjectKind, name: string])[] = [
  [
    { apiVersion: ADMISSION, kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations' },
    'berth-mutate-pods',
  ],
  [
    {
      apiVersion: ADMISSION,
      kind: 'ValidatingWebhookConfiguration',
      plural: 'validatingwebhookconfigurations',
    },
    'berth-validate-policies',
  ],
];
const CONFIG_MAPS: ObjectKind = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const LEASES: ObjectKind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' };
const PODS: ObjectKind = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };
const POLICY_STATUSES: ObjectKind = {
  apiVersion: 'berth.sh/v1',
  kind: 'PolicyStatus',
  plural: 'policystatuses',
};
const LOOK_MILLIS = 2_000;
const POOL_PREFIX = policyStatusName('NodePool', '');

/** @throws PortError: Unavailable, when nodes are to be drained and no replica leads; TimedOut, naming what is left. */
export async function uninstall(run: Uninstallation): Promise<void> {
  const { way, objects, tell } = run;
  const leads = await isLed(run);
  if (way === 'drain' && !leads && (await objects.list(NODE_CLAIMS)).length > 0)
    throw new PortError('Unavailable', {
      operation: 'drain nodes',
      message: 'no replica of Berth leads: start one, which drains and terminates them, or use --keep-nodes',
    });
  for (const [kind, name] of WEBHOOKS)
    if (await removed(objects, kind, await objects.get(kind, name))) tell(`Deleted ${kind.kind} ${name}`);
  for (const configMap of (await objects.list(CONFIG_MAPS)).filter((each) => isPolicy(each, run)))
    if (await removed(objects, CONFIG_MAPS, configMap))
      tell(`Deleted the policies of ConfigMap ${configMap.metadata.name}`);
  if (leads) await untilGone(run);
  else await releaseAll(run);
  await releaseNodes(run);
  await removeGates(run);
}

/** What a run would do now, for a user who has not confirmed it. */
export async function describeUninstall({
  way,
  objects,
}: Pick<Uninstallation, 'way' | 'objects'>): Promise<string> {
  const claims = counted((await objects.list(NODE_CLAIMS)).length, 'node');
  return way === 'drain'
    ? `This removes Berth's webhooks and policies, then drains and terminates ${claims}.`
    : `This removes Berth's webhooks and policies; ${claims} and their instances stay, and are no longer managed.`;
}

async function isLed({ objects, namespace, clock }: Uninstallation): Promise<boolean> {
  const lease = decodeLease(await objects.get(LEASES, LEADER_LEASE, namespace)).value;
  return (
    lease !== undefined &&
    lease.holder !== '' &&
    clock.now() - lease.renewedAt < 2_000 * lease.durationSeconds
  );
}

function isPolicy({ metadata }: KubeObject, { namespace }: Uninstallation): boolean {
  return metadata.namespace === namespace && metadata.labels?.[POLICY_LABEL] === 'true';
}

/** The leader drains, or lets go, what has no policy any more. */
async function untilGone(run: Uninstallation): Promise<void> {
  const { way, objects, clock, tell, timeoutMillis, signal } = run;
  const end = clock.monotonic() + timeoutMillis;
  let told = -1;
  for (;;) {
    const claims = await objects.list(NODE_CLAIMS);
    const statuses = await objects.list(POLICY_STATUSES);
    // Each claim has a NodePool: node classes follow when the last claim is gone.
    const isOver = claims.length === 0;
    await markPolicies(
      run,
      isOver ? statuses : statuses.filter(({ metadata }) => metadata.name.startsWith(POOL_PREFIX)),
    );
    if (isOver) return;
    await drainUnknown(run, claims, statuses);
    if (claims.length !== told) {
      told = claims.length;
      tell(`${counted(told, 'node')} left to ${way === 'drain' ? 'drain and terminate' : 'release'}`);
    }
    if (clock.monotonic() >= end) {
      const names = claims.slice(0, 5).map(({ metadata }) => metadata.name);
      const message = `${counted(told, 'NodeClaim')} left (${names.join(', ')}); see kubectl describe, and run it again`;
      throw new PortError('TimedOut', { operation: `${way} nodes`, message });
    }
    await clock.sleep(LOOK_MILLIS, signal);
  }
}

async function markPolicies(
  { way, objects }: Uninstallation,
  statuses: readonly KubeObject[],
): Promise<void> {
  const wish = way === 'drain' ? 'drain' : 'orphan';
  for (const status of statuses) {
    if (status.metadata.annotations?.[DELETE_ANNOTATION] === wish) continue;
    // Berth writes it at the same time: the next look comes soon.
    await unlessMoved(
      objects.merge(POLICY_STATUSES, status, { metadata: { annotations: { [DELETE_ANNOTATION]: wish } } }),
    );
  }
}

/** Claims of which no policy is known follow none. */
async function drainUnknown(
  { way, objects }: Uninstallation,
  claims: readonly KubeObject[],
  statuses: readonly KubeObject[],
): Promise<void> {
  if (way !== 'drain') return;
  const known = new Set(statuses.map(({ metadata }) => metadata.name));
  for (const claim of claims) {
    const pool = claim.spec?.['nodePool'];
    const isKnown = typeof pool === 'string' && known.has(policyStatusName('NodePool', pool));
    if (!isKnown && claim.metadata.deletionTimestamp === undefined)
      await removed(objects, NODE_CLAIMS, claim);
  }
}

/** Without a leader, by this process: the claim's finalizer first, whereby Berth no longer manages its node. */
async function releaseAll({ objects, tell }: Uninstallation): Promise<void> {
  const claims = await objects.list(NODE_CLAIMS);
  for (const claim of claims) {
    const freed = await withoutFinalizer(objects, NODE_CLAIMS, claim);
    if (freed !== undefined && freed.metadata.deletionTimestamp === undefined)
      await removed(objects, NODE_CLAIMS, freed);
  }
  if (claims.length > 0)
    tell(
      `Released ${counted(claims.length, 'node')}. Their instances keep the tag berth.sh/cluster: remove it before Berth is installed again, since it ends instances without a NodeClaim`,
    );
}

async function releaseNodes({ objects, tell }: Uninstallation): Promise<void> {
  const held = (await objects.list(NODES)).filter(({ metadata }) => isHeld(metadata));
  for (const node of held) await withoutFinalizer(objects, NODES, node);
  if (held.length > 0) tell(`Removed Berth's finalizer from ${counted(held.length, 'node')}`);
}

/** Pods that wait for a place that Berth would find: kube-scheduler takes them. */
async function removeGates({ objects, tell }: Uninstallation): Promise<void> {
  const gated = (await objects.list(PODS)).filter((pod) =>
    gatesOf(pod).some(({ name }) => name === PLAN_GATE),
  );
  for (const pod of gated) {
    const schedulingGates = gatesOf(pod).filter(({ name }) => name !== PLAN_GATE);
    await unlessMoved(objects.merge(PODS, pod, { spec: { schedulingGates } }));
  }
  if (gated.length > 0) tell(`Removed the scheduling gate from ${counted(gated.length, 'pod')}`);
}

function gatesOf({ spec }: KubeObject): readonly { readonly name: string }[] {
  return (spec?.['schedulingGates'] ?? []) as readonly { readonly name: string }[];
}

function isHeld({ finalizers = [] }: KubeObject['metadata']): boolean {
  return finalizers.includes(TERMINATION_FINALIZER);
}

const MOST_TRIES = 10;

/** The object as it is then; undefined when it is gone. */
async function withoutFinalizer(
  objects: KubeObjects,
  kind: ObjectKind,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  let current: KubeObject | undefined = object;
  for (let tries = 0; tries < MOST_TRIES && current !== undefined && isHeld(current.metadata); tries++) {
    const finalizers: readonly string[] = (current.metadata.finalizers ?? []).filter(
      (each) => each !== TERMINATION_FINALIZER,
    );
    const changed: KubeObject | undefined = await unlessMoved(
      objects.merge(kind, current, { metadata: { finalizers } }),
    );
    current = changed ?? (await objects.get(kind, current.metadata.name));
  }
  return current;
}

/** Whether it was deleted by this call. */
async function removed(
  objects: KubeObjects,
  kind: ObjectKind,
  object: KubeObject | undefined,
): Promise<boolean> {
  let current = object;
  for (let tries = 0; tries < MOST_TRIES && current !== undefined; tries++) {
    try {
      await objects.remove(kind, current);
      return true;
    } catch (error) {
      if (!hasCode(error, 'NotFound', 'Conflict')) throw error;
      current = await objects.get(kind, current.metadata.name, current.metadata.namespace);
    }
  }
  return false;
}

/** undefined when another client was faster. */
async function unlessMoved<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, 'Conflict', 'NotFound')) return undefined;
    throw error;
  }
}
