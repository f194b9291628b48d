/** The status that a kubelet writes for a pod: running, or ended with an exit code. */
import type { Container, Pod } from '../fixture/kube-object.js';

export interface RunningStatusOptions {
  readonly ready: boolean;
  readonly podIP: string;
  readonly hostIP: string;
  readonly at: Date;
}

type Status = Readonly<Record<string, unknown>>;

/** All init containers have exited with 0 but sidecars, all containers run. */
export function runningStatus(pod: Pod, { ready, podIP, hostIP, at }: RunningStatusOptions): Status {
  const running = { running: { startedAt: time(at) } };
  const done = {
    terminated: { exitCode: 0, reason: 'Completed', startedAt: time(at), finishedAt: time(at) },
  };
  return {
    phase: 'Running',
    hostIP,
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: time(at),
    conditions: [
      condition('PodReadyToStartContainers', true, at),
      condition('Initialized', true, at),
      condition('ContainersReady', ready, at),
      condition('Ready', ready, at),
    ],
    initContainerStatuses: (pod.spec.initContainers ?? []).map((container) =>
      containerStatus(container, isSidecar(container) ? running : done, true),
    ),
    containerStatuses: pod.spec.containers.map((container) => containerStatus(container, running, ready)),
  };
}

/** Phase Succeeded with exit code 0, else Failed. */
export function endedStatus(pod: Pod, exitCode: number, at: Date): Status {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  const state = { terminated: { exitCode, reason, startedAt: time(at), finishedAt: time(at) } };
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: [
      condition('PodReadyToStartContainers', false, at),
      condition('ContainersReady', false, at),
      condition('Ready', false, at),
    ],
    containerStatuses: pod.spec.containers.map((container) => containerStatus(container, state, false)),
  };
}

function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

function condition(type: string, holds: boolean, at: Date): Status {
  return { type, status: holds ? 'True' : 'False', lastTransitionTime: time(at) };
}

function containerStatus({ name, image = '' }: Container, state: Status, ready: boolean): Status {
  return { name, image, imageID: image, ready, started: ready, restartCount: 0, state, lastState: {} };
}

/** RFC 3339 in whole seconds, as metav1.Time is written. */
function time(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}
