/** Whether Karpenter runs in the cluster, and how it is stopped and started again. */
import type { JsonObject } from '../../domain/policies/policy.js';
import type { Clock } from '../../ports/clock.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import type { KubeObject, KubeObjects, ObjectKind } from './kube-objects.js';

const DEPLOYMENTS: ObjectKind = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };
const LEASES: ObjectKind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' };
const LEASE = 'karpenter-leader-election';
const NAME_LABEL = 'app.kubernetes.io/name';
/** On Karpenter's Deployment that `--stop-other` scaled to 0: its replicas before. */
export const REPLICAS_ANNOTATION = 'berth.sh/replicas';
const LOOK_MILLIS = 2000;

export interface KarpenterProcess {
  readonly deployments: readonly KubeObject[];
  /** Sentences about what still runs; empty when nothing does. */
  readonly running: readonly string[];
  /** Whether a replica is still wanted by a Deployment: waiting does not help. */
  readonly isWanted: boolean;
}

/** @throws PortError */
export async function lookAtKarpenter(objects: KubeObjects, now: number): Promise<KarpenterProcess> {
  const deployments = (await objects.list(DEPLOYMENTS)).filter(
    ({ metadata: { name, labels } }) => name === 'karpenter' || labels?.[NAME_LABEL] === 'karpenter',
  );
  const leases = (await objects.list(LEASES)).filter(({ metadata }) => metadata.name === LEASE);
  const running = [
    ...deployments.flatMap((deployment) => replicasOf(deployment)),
    ...leases.flatMap((lease) => holderOf(lease, now)),
  ];
  return { deployments, running, isWanted: deployments.some((deployment) => wantedReplicas(deployment) > 0) };
}

export interface StopOptions {
  readonly objects: KubeObjects;
  readonly clock: Clock;
  /** Whether Deployments may be scaled to 0. */
  readonly stops: boolean;
  readonly timeoutMillis: number;
  readonly tell: (text: string) => void;
}

/** Waits until Karpenter has stopped. @throws PortError Unavailable, naming what runs and what to do. */
export async function untilStopped({
  objects,
  clock,
  stops,
  timeoutMillis,
  tell,
}: StopOptions): Promise<void> {
  const end = clock.monotonic() + timeoutMillis;
  let told = '';
  for (;;) {
    const { deployments, running, isWanted } = await lookAtKarpenter(objects, clock.now());
    if (running.length === 0) return;
    if (isWanted && !stops) throw stillRunning(running, stopHint(deployments));
    if (isWanted) await scaleDown(objects, deployments, tell);
    if (clock.monotonic() >= end) throw stillRunning(running, 'it did not stop in time: look at its pods');
    const text = running.join('; ');
    if (text !== told) tell(`waiting for Karpenter to stop: ${text}\n`);
    told = text;
    await clock.sleep(LOOK_MILLIS);
  }
}

/** Gives Deployments that were scaled to 0 their replicas back. Answers what was started, in words. */
export async function startAgain(objects: KubeObjects): Promise<readonly string[]> {
  const started: string[] = [];
  for (const deployment of await objects.list(DEPLOYMENTS)) {
    const remembered = Number(deployment.metadata.annotations?.[REPLICAS_ANNOTATION]);
    if (!Number.isInteger(remembered)) continue;
    await objects.merge(DEPLOYMENTS, deployment, {
      metadata: { annotations: { [REPLICAS_ANNOTATION]: null } },
      spec: { replicas: remembered },
    });
    started.push(`${fullName(deployment)} with ${String(remembered)} replicas`);
  }
  return started;
}

async function scaleDown(
  objects: KubeObjects,
  deployments: readonly KubeObject[],
  tell: (text: string) => void,
): Promise<void> {
  for (const deployment of deployments) {
    const replicas = wantedReplicas(deployment);
    if (replicas === 0) continue;
    try {
      // With the number in the same request: whatever happens next, it is known what to go back to.
      await objects.merge(DEPLOYMENTS, deployment, {
        metadata: { annotations: { [REPLICAS_ANNOTATION]: String(replicas) } },
        spec: { replicas: 0 },
      });
      tell(`scaled Deployment ${fullName(deployment)} from ${String(replicas)} replicas to 0\n`);
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
    }
  }
}

function replicasOf(deployment: KubeObject): readonly string[] {
  const wanted = wantedReplicas(deployment);
  const left = Number(deployment.status?.['replicas'] ?? 0);
  if (wanted === 0 && left === 0) return [];
  return [`Deployment ${fullName(deployment)} has ${String(Math.max(wanted, left))} replicas`];
}

function wantedReplicas({ spec }: KubeObject): number {
  return Number(spec?.['replicas'] ?? 1);
}

function holderOf({ metadata, spec = {} }: KubeObject, now: number): readonly string[] {
  const {
    holderIdentity,
    renewTime,
    leaseDurationSeconds = 15,
  } = spec as JsonObject & {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
  const renewedAt = Date.parse(renewTime ?? '');
  if (!holderIdentity || Number.isNaN(renewedAt) || now > renewedAt + leaseDurationSeconds * 1000) return [];
  return [`Lease ${metadata.namespace ?? ''}/${metadata.name} is held by ${holderIdentity}`];
}

function stopHint(deployments: readonly KubeObject[]): string {
  const commands = deployments.map(
    ({ metadata: { namespace = '', name } }) =>
      `kubectl -n ${namespace} scale deployment ${name} --replicas=0`,
  );
  return `stop it with --stop-other, or with ${commands.join(' and ')}; a GitOps controller must not start it again`;
}

function stillRunning(running: readonly string[], hint: string): PortError {
  return new PortError('Unavailable', {
    operation: 'wait for Karpenter to stop',
    message: `Karpenter runs: ${running.join('; ')}; ${hint}`,
  });
}

function fullName({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}
