/** A pod as the scheduler keeps it: read once for each version of the object. */
import { keyOf } from '../../cluster/cluster-api.js';
import type { Pod, PodAffinityTerm, StringMap } from '../../cluster/objects.js';
import { podRequests } from './pod-requests.js';

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

export interface PodInfo {
  readonly pod: Pod;
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: StringMap;
  readonly requests: ReadonlyMap<string, number>;
  readonly hostPorts: readonly HostPort[];
  readonly priority: number;
  readonly affinity: readonly PodAffinityTerm[];
  readonly antiAffinity: readonly PodAffinityTerm[];
  /** Of its namespace's objects. */
  readonly claimNames: readonly string[];
  readonly isTerminating: boolean;
}

const NO_LABELS: StringMap = {};
const known = new WeakMap<Pod, PodInfo>();

export function podInfo(pod: Pod): PodInfo {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const info = read(pod);
  known.set(pod, info);
  return info;
}

function read(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  return {
    pod,
    key: keyOf(pod),
    uid: metadata.uid,
    namespace: metadata.namespace ?? '',
    labels: metadata.labels ?? NO_LABELS,
    requests: podRequests(pod),
    hostPorts: hostPorts(pod),
    priority: spec.priority ?? 0,
    affinity: spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    antiAffinity: spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    claimNames: claimNames(pod),
    isTerminating: metadata.deletionTimestamp !== undefined,
  };
}

function hostPorts({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort = 0, hostIP = '', protocol = 'TCP' }) => ({
        ip: hostIP === '' ? '0.0.0.0' : hostIP,
        protocol,
        port: hostPort,
      })),
  );
}

/** An ephemeral volume's claim is named after pod and volume. */
function claimNames({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}
