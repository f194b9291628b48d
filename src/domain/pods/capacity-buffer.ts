/**
 * CapacityBuffers (autoscaling.x-k8s.io): room that is kept free. What a buffer asks for is planned as pods that do not exist, of the lowest
 * priority, as Karpenter and the Cluster Autoscaler do.
 */
import type { BudgetWindow } from '../policies/budget.js';
import { isWindowOpen } from '../values/schedule.js';
import type { Condition } from '../values/condition.js';
import { NO_LABELS } from '../values/labels.js';
import type { ResourceList } from '../values/resources.js';
import { listed } from '../values/text.js';
import type { ReservationTarget } from '../records/reservation.js';
import type { Pod, PodSpec } from './pod.js';

/** The strategy of buffers that are kept by nodes with free room, which is also the default. Others are for other components. */
export const ACTIVE_CAPACITY = 'buffer.x-k8s.io/active-capacity';

/** On a CapacityBuffer: when windows open in which it is kept, as a cron schedule; for how long (`8h`); and the schedule's time zone, UTC by default. */
export const BUFFER_SCHEDULE = 'berth.sh/buffer-schedule';
export const BUFFER_DURATION = 'berth.sh/buffer-duration';
export const BUFFER_TIME_ZONE = 'berth.sh/buffer-time-zone';

/** Kinds whose pods a buffer may be made for. */
export const BUFFERED_KINDS = ['PodTemplate', 'Deployment', 'ReplicaSet', 'StatefulSet'] as const;
export type BufferedKind = (typeof BUFFERED_KINDS)[number];

/** Where the shape of the buffer's pods stands, in the buffer's namespace. */
export interface BufferTemplateRef {
  /** As the buffer spells it: not every kind is one of BUFFERED_KINDS. */
  readonly kind: string;
  /** '' for kinds of the core group. */
  readonly apiGroup: string;
  readonly name: string;
}

export interface BufferCondition extends Condition {
  /** The generation of the buffer that it is about. */
  readonly observedGeneration: number | undefined;
}

export interface CapacityBufferStatus {
  /** The PodTemplate that was used, and its generation; undefined for other kinds. */
  readonly podTemplate: { readonly name: string; readonly generation: number } | undefined;
  /** How many pods the buffer has room for, or is to have. */
  readonly replicas: number | undefined;
  readonly strategy: string | undefined;
  /** Those of other components as well. */
  readonly conditions: readonly BufferCondition[];
}

export interface CapacityBuffer {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** By which it was read: `autoscaling.x-k8s.io/v1beta1`. */
  readonly apiVersion: string;
  readonly strategy: string;
  /** undefined where it names none. */
  readonly template: BufferTemplateRef | undefined;
  readonly replicas: number | undefined;
  /** Of the replicas of what `template` names. */
  readonly percentage: number | undefined;
  /** Most that its pods request together, of each resource that is listed. */
  readonly limits: ResourceList;
  /** When the buffer is kept; undefined: always. A text: what is wrong with its annotations. */
  readonly window: BudgetWindow | string | undefined;
  readonly status: CapacityBufferStatus;
}

/** What a buffer's `template` says. */
export interface BufferTemplate {
  readonly spec: PodSpec;
  readonly generation: number;
  /** Of a workload: how many pods it is to have; undefined of a PodTemplate. */
  readonly replicas: number | undefined;
}

/** How much room a buffer asks for. */
export interface BufferDemand {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  readonly spec: PodSpec;
  /** Where its first pods were planned last; the others are to be planned. */
  readonly places?: readonly ReservationTarget[] | undefined;
}

/** Pods of one buffer at most: a user who may write in a namespace can ask for billions. */
export const MOST_BUFFER_PODS = 1000;

/**
 * How many pods the buffer is for, as Karpenter counts them: the larger of replicas and percentage, within the limits; with neither, as many
 * as the limits have room for. A percentage is rounded up; of no replicas it is nothing.
 */
export function bufferReplicas(
  { replicas, percentage, limits }: Pick<CapacityBuffer, 'replicas' | 'percentage' | 'limits'>,
  template: BufferTemplate,
): number {
  const share =
    percentage === undefined || template.replicas === undefined
      ? undefined
      : Math.ceil((template.replicas * percentage) / 100);
  const wanted = [replicas, share].filter((count) => count !== undefined);
  const within = withinLimits(limits, template.spec.requests);
  const asked = wanted.length === 0 ? (within ?? 0) : Math.max(...wanted);
  return Math.min(MOST_BUFFER_PODS, asked, within ?? Infinity);
}

/** Whether the buffer is kept now; milliseconds since 1970. */
export function isBufferOpen({ window }: Pick<CapacityBuffer, 'window'>, now: number): boolean {
  if (window === undefined) return true;
  return typeof window !== 'string' && isWindowOpen(window.schedule, window.durationSeconds, now);
}

/** undefined where no resource is both limited and requested. */
function withinLimits(limits: ResourceList, requests: ResourceList): number | undefined {
  const counts = [...limits].flatMap(([resource, limit]) => {
    const request = requests.get(resource) ?? 0;
    return request > 0 ? [Math.floor(limit / request)] : [];
  });
  return counts.length === 0 ? undefined : Math.min(...counts);
}

const OWNER_KIND = 'CapacityBuffer';
/** In the names of virtual pods, and in no name that Kubernetes allows. */
const NUMBER_SIGN = '#';
/** The lowest that there is (Karpenter: virtual pods). */
const LOWEST_PRIORITY = -(2 ** 31);

/**
 * The pods that do not exist, `<buffer>#<number>`. They have no labels and no annotations: selectors of other pods and of
 * PodDisruptionBudgets do not see them, and nothing protects them from disruption but that their room is needed.
 */
export function virtualPods({ namespace, name, count, spec: template }: BufferDemand): readonly Pod[] {
  const spec: PodSpec = { ...template, labels: NO_LABELS, priority: LOWEST_PRIORITY };
  return Array.from({ length: count }, (_, index) => virtualPod({ namespace, name, spec }, index + 1));
}

function virtualPod(
  { namespace, name, spec }: Pick<BufferDemand, 'namespace' | 'name' | 'spec'>,
  number: number,
): Pod {
  const own = `${name}${NUMBER_SIGN}${String(number)}`;
  return {
    namespace,
    name: own,
    uid: `${OWNER_KIND}/${namespace}/${own}`,
    spec,
    owner: { kind: OWNER_KIND, name },
    nodeName: undefined,
    phase: 'Pending',
    schedulingGated: false,
    awaitsPlace: false,
    pinnedTo: undefined,
    mirror: false,
    terminating: false,
    annotations: NO_LABELS,
  };
}

/** Whether the pod is one of a buffer. */
export function isVirtualPod({ owner }: Pick<Pod, 'owner'>): boolean {
  return owner?.kind === OWNER_KIND;
}

/** Whether `namespace/name` is that of a virtual pod. */
export function isVirtualPodKey(key: string): boolean {
  return key.includes(NUMBER_SIGN);
}

/** `namespace/name` of the buffer of the virtual pod with this key. */
export function bufferOfPod(key: string): string {
  return key.slice(0, key.lastIndexOf(NUMBER_SIGN));
}

/** Buffers named for people. */
const FEW = 5;

/** The buffers of those of the pods that are virtual, as text. */
export function namedBuffers(podKeys: readonly string[]): string {
  return listed([...new Set(podKeys.filter(isVirtualPodKey).map(bufferOfPod))], FEW);
}
