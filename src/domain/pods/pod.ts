/** A pod as scheduling sees it: everything decoded once, amounts in integers, selectors resolved. */
import type { NodeAffinity, PodAffinity } from './affinity.js';
import type { PodGang } from './gang.js';
import type { Labels } from '../values/labels.js';
import type { ResourceClaimUse } from './resource-claim-use.js';
import type { ResourceList } from '../values/resources.js';
import type { Toleration } from '../values/taint.js';
import type { TopologySpreadConstraint } from './topology-spread.js';
import type { VolumeUse } from './volume.js';

/** A port on the node that the pod binds. `hostIP` '0.0.0.0' conflicts with every address. */
export interface HostPort {
  readonly hostIP: string;
  readonly protocol: string;
  readonly port: number;
}

/** The controller that owns a pod. */
export interface PodOwner {
  readonly kind: string;
  readonly name: string;
}

/** What all pods made from one template share; two pods with equal specs are one question asked twice. */
export interface PodSpec {
  readonly namespace: string;
  readonly labels: Labels;
  /**
   * What kube-scheduler counts: the larger of (containers + sidecars) and the init containers' peak, pod-level
   * resources where given, plus overhead; and one `pods`.
   */
  readonly requests: ResourceList;
  readonly nodeSelector: Labels;
  readonly nodeAffinity: NodeAffinity;
  readonly podAffinity: PodAffinity;
  readonly podAntiAffinity: PodAffinity;
  readonly tolerations: readonly Toleration[];
  readonly spread: readonly TopologySpreadConstraint[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly VolumeUse[];
  /** Resolved from the PriorityClass; 0 by default. */
  readonly priority: number;
  readonly schedulerName: string;
  /** Node features that the pod needs (KEP-5328), sorted. */
  readonly requiredFeatures: readonly string[];
  /** Devices that it asks for (dynamic resource allocation). */
  readonly resourceClaims: readonly ResourceClaimUse[];
}

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly spec: PodSpec;
  /** Controller, or undefined for a bare pod. */
  readonly owner: PodOwner | undefined;
  /** Node it is bound to, or undefined while pending. */
  readonly nodeName: string | undefined;
  /** Succeeded and Failed pods have given their room back. */
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /** It waits until another component removes its scheduling gate. */
  readonly schedulingGated: boolean;
  /** Its only scheduling gate is Berth's (PLAN_GATE). */
  readonly awaitsPlace: boolean;
  /**
   * The kubernetes.io/hostname to which its node selector was narrowed when Berth's gate was removed; its spec is as it was
   * before, as that of the pod which replaces it.
   */
  readonly pinnedTo: string | undefined;
  readonly mirror: boolean;
  readonly terminating: boolean;
  readonly annotations: Labels;
  /** The gang that it belongs to; undefined for a pod that is of use alone. */
  readonly gang?: PodGang | undefined;
  /** A pod on its way to another node is listed twice: where it leaves, and as its successor where it comes. */
  readonly move?: 'leaves' | 'comes' | undefined;
}

/** `namespace/name`. */
export function podKey(pod: Pick<Pod, 'namespace' | 'name'>): string {
  return `${pod.namespace}/${pod.name}`;
}

/** Whether two host ports cannot be bound on one node: same port and protocol, same or wildcard address. */
export function hostPortsConflict(left: HostPort, right: HostPort): boolean {
  if (left.port !== right.port || left.protocol !== right.protocol) return false;
  return left.hostIP === right.hostIP || left.hostIP === '0.0.0.0' || right.hostIP === '0.0.0.0';
}

/** The first of the ports that is taken (NodePorts), or undefined. */
export function takenPort(ports: readonly HostPort[], inUse: readonly HostPort[]): HostPort | undefined {
  return ports.find((port) => inUse.some((taken) => hostPortsConflict(port, taken)));
}

/** Whether all its containers have ended for good: it takes no room any more. */
export function isFinished({ phase }: Pick<Pod, 'phase'>): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
