/** The status that a kubelet writes for a pod: its containers being made, running, or ended. */
import { withCondition } from '../cluster/conditions.js';
import type { Condition, Container, Pod } from '../cluster/objects.js';
import { timestamp } from '../cluster/timestamps.js';

export type PodStage = 'creating' | 'running' | 'ready' | 'succeeded' | 'failed';

export interface StageDetails {
  readonly stage: PodStage;
  readonly now: number;
  readonly hostIP: string;
  readonly podIP: string;
  /** Of containers that ended. */
  readonly exitCode?: number | undefined;
}

const PHASES: Readonly<Record<PodStage, string>> = {
  creating: 'Pending',
  running: 'Running',
  ready: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
};

type Status = Readonly<Record<string, unknown>>;

/** The pod's status with what the stage says; what others wrote there stays. */
export function podStatus({ spec, status = {} }: Pod, details: StageDetails): Status {
  const { stage, now, hostIP, podIP } = details;
  const isStarted = stage === 'running' || stage === 'ready';
  const truths: readonly (readonly [string, boolean])[] = [
    ['PodReadyToStartContainers', isStarted],
    ['Initialized', stage !== 'creating'],
    ['ContainersReady', stage === 'ready'],
    ['Ready', stage === 'ready'],
  ];
  const conditions = truths.reduce<readonly Condition[]>(
    (list, [type, holds]) => withCondition(list, { type, status: holds ? 'True' : 'False' }, now),
    status.conditions ?? [],
  );
  return {
    ...status,
    phase: PHASES[stage],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(stage !== 'creating' && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: status.startTime ?? timestamp(now),
    conditions,
    initContainerStatuses: (spec.initContainers ?? []).map((container) =>
      containerStatus(container, isSidecar(container) ? details : initDetails(details)),
    ),
    containerStatuses: spec.containers.map((container) => containerStatus(container, details)),
  };
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

function initDetails(details: StageDetails): StageDetails {
  return details.stage === 'creating' ? details : { ...details, stage: 'succeeded', exitCode: 0 };
}

/** What a container that runs was given, as its status has it. */
export function grantedResources({ resources = {} }: Container): Status {
  return { resources, ...(resources.requests && { allocatedResources: resources.requests }) };
}

function containerStatus(container: Container, { stage, now, exitCode = 0 }: StageDetails): Status {
  const { name, image = '' } = container;
  const at = timestamp(now);
  const isStarted = stage === 'running' || stage === 'ready';
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: at,
    finishedAt: at,
  };
  const waiting = { reason: 'ContainerCreating' };
  const ended = stage === 'creating' ? { waiting } : { terminated };
  return {
    name,
    image,
    imageID: stage === 'creating' ? '' : image,
    ready: stage === 'ready',
    started: isStarted,
    restartCount: 0,
    state: isStarted ? { running: { startedAt: at } } : ended,
    lastState: {},
    ...(isStarted && grantedResources(container)),
  };
}
