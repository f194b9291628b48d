/** Pods for tests: `pod({ name: 'web-0', requests: { cpu: '500m' } })`; what is not said is the plainest default. */
import { NO_NODE_AFFINITY, NO_POD_AFFINITY } from '../../../src/domain/pods/affinity.js';
import type { NodeAffinity, PodAffinity } from '../../../src/domain/pods/affinity.js';
import type { Labels } from '../../../src/domain/values/labels.js';
import type { Pod, PodOwner, PodSpec } from '../../../src/domain/pods/pod.js';
import { parseAmount, type ResourceList } from '../../../src/domain/values/resources.js';

/** Resource name → Kubernetes quantity, as a manifest has it. */
export type Quantities = Readonly<Record<string, string>>;
export type LabelRecord = Readonly<Record<string, string>>;

/** Fields of a pod's spec that tests set; labels and requests as a manifest writes them. */
export interface PodSpecOverrides extends Partial<
  Omit<
    PodSpec,
    | 'labels'
    | 'requests'
    | 'nodeSelector'
    | 'nodeAffinity'
    | 'podAffinity'
    | 'podAntiAffinity'
    | 'volumes'
    | 'resourceClaims'
  >
> {
  readonly labels?: LabelRecord;
  /** Added to 100m CPU and 128Mi; `pods` is always 1. */
  readonly requests?: Quantities;
  readonly nodeSelector?: LabelRecord;
  readonly nodeAffinity?: Partial<NodeAffinity>;
  readonly podAffinity?: Partial<PodAffinity>;
  readonly podAntiAffinity?: Partial<PodAffinity>;
  /** PersistentVolumeClaims by name, or `{ claim, ephemeralClass }`; a bare name is in the pod's namespace. */
  readonly volumes?: readonly (string | PodSpec['volumes'][number])[];
  /** ResourceClaims by the name of their template, or `{ name, claim, template }`; a bare name is in the pod's namespace. */
  readonly resourceClaims?: readonly (string | PodSpec['resourceClaims'][number])[];
}

export interface PodOverrides
  extends PodSpecOverrides, Partial<Omit<Pod, 'spec' | 'namespace' | 'annotations'>> {
  readonly annotations?: LabelRecord;
}

/** Amounts in the units of the domain: cpu in millicores, the rest in whole units. */
export function amounts(quantities: Quantities): ResourceList {
  return new Map(Object.entries(quantities).map(([name, text]) => [name, parseAmount(name, text)]));
}

export function labels(record: LabelRecord = {}): Labels {
  return new Map(Object.entries(record));
}

/** The spec alone, for DaemonSets and for pods that share one. */
export function podSpec(overrides: PodSpecOverrides = {}): PodSpec {
  const namespace = overrides.namespace ?? 'default';
  return {
    tolerations: [],
    spread: [],
    hostPorts: [],
    priority: 0,
    schedulerName: 'default-scheduler',
    requiredFeatures: [],
    ...overrides,
    namespace,
    labels: labels(overrides.labels),
    requests: amounts({ cpu: '100m', memory: '128Mi', ...overrides.requests, pods: '1' }),
    nodeSelector: labels(overrides.nodeSelector),
    nodeAffinity: { ...NO_NODE_AFFINITY, ...overrides.nodeAffinity },
    podAffinity: { ...NO_POD_AFFINITY, ...overrides.podAffinity },
    podAntiAffinity: { ...NO_POD_AFFINITY, ...overrides.podAntiAffinity },
    volumes: (overrides.volumes ?? []).map((use) =>
      typeof use === 'string' ? { claim: use.includes('/') ? use : `${namespace}/${use}` } : use,
    ),
    resourceClaims: (overrides.resourceClaims ?? []).map((use) =>
      typeof use === 'string' ? { name: use, claim: undefined, template: `${namespace}/${use}` } : use,
    ),
  };
}

/** A pending pod `default/pod`, or one bound to a node when `nodeName` is given. */
export function pod(overrides: PodOverrides = {}): Pod {
  const {
    name = 'pod',
    uid,
    owner,
    nodeName,
    phase,
    schedulingGated,
    awaitsPlace,
    pinnedTo,
    mirror,
    terminating,
    annotations,
    gang,
    move,
    ...rest
  } = overrides;
  const spec = podSpec(rest);
  return {
    namespace: spec.namespace,
    name,
    uid: uid ?? `uid-${spec.namespace}-${name}`,
    spec,
    owner,
    nodeName,
    phase: phase ?? (nodeName === undefined ? 'Pending' : 'Running'),
    schedulingGated: schedulingGated ?? false,
    awaitsPlace: awaitsPlace ?? false,
    pinnedTo,
    mirror: mirror ?? false,
    terminating: terminating ?? false,
    annotations: labels(annotations),
    gang,
    ...(move !== undefined && { move }),
  };
}

/** `count` pods `<name>-0` … of one template and one owner: they share one spec object. */
export function replicas(count: number, overrides: PodOverrides = {}): readonly Pod[] {
  const { name = 'pod', ...rest } = overrides;
  const owner: PodOwner = rest.owner ?? { kind: 'ReplicaSet', name };
  const first = pod({ ...rest, name, owner });
  return Array.from({ length: count }, (_, index) => ({
    ...first,
    name: `${name}-${String(index)}`,
    uid: `uid-${first.namespace}-${name}-${String(index)}`,
  }));
}
