/** The status of a CapacityBuffer, with the conditions and reasons that Karpenter writes. */
import {
  ACTIVE_CAPACITY,
  bufferOfPod,
  isVirtualPodKey,
  type BufferCondition,
  type CapacityBuffer,
  type CapacityBufferStatus,
} from '../../domain/pods/capacity-buffer.js';
import type { ReservationTarget } from '../../domain/records/reservation.js';
import { append } from '../../domain/values/lists.js';
import { withCondition } from '../../domain/values/condition.js';
import { counted } from '../../domain/values/text.js';
import { describePoolReason } from '../../planning/describe-reason.js';
import { nearestFirst } from '../../planning/explain/nearest-first.js';
import type { Plan } from '../../planning/plan.js';
import type { ReasonCode } from '../../planning/reason.js';
import type { Resolution } from './resolved-buffers.js';

/** Where the pods of one buffer are, as counts. */
export interface BufferPlaces {
  /** On nodes that pods can be bound to. */
  readonly here: number;
  /** On nodes that are being launched. */
  readonly coming: number;
  /** Nowhere for now: a limit is reached, or the cloud has none. */
  readonly short: number;
  /** Nowhere, whatever is launched. */
  readonly infeasible: number;
  /** Why a pod is nowhere; '' where none is. */
  readonly why: string;
}

const NOWHERE: BufferPlaces = { here: 0, coming: 0, short: 0, infeasible: 0, why: '' };

/** There would be a place if there were more of it. */
const SHORTAGES: readonly ReasonCode[] = ['LimitReached', 'OutOfStock'];

/** `namespace/name` of each buffer of the plan → where its pods are. `isUsable` is asked about nodes of the plan. */
export function placesOf(
  plan: Plan,
  isUsable: (nodeName: string) => boolean,
): ReadonlyMap<string, BufferPlaces> {
  const places = new Map<string, BufferPlaces>();
  const count = (pod: string, key: keyof Omit<BufferPlaces, 'why'>, why = ''): void => {
    if (!isVirtualPodKey(pod)) return;
    const buffer = bufferOfPod(pod);
    const known = places.get(buffer) ?? NOWHERE;
    places.set(buffer, { ...known, [key]: known[key] + 1, why: known.why === '' ? why : known.why });
  };
  for (const { pod, target } of plan.placements)
    count(pod, target.kind === 'Node' && isUsable(target.name) ? 'here' : 'coming');
  for (const { pod, reasons } of plan.unschedulable) {
    const [nearest] = nearestFirst(reasons);
    const isShort = reasons.some(({ reason }) => SHORTAGES.includes(reason.code));
    count(pod, isShort ? 'short' : 'infeasible', nearest && describePoolReason(nearest));
  }
  return places;
}

/** Buffer → where its pods are on nodes that there are, or that are coming. */
export function targetsOf(
  { placements }: Plan,
  targetOf: (nodeName: string) => ReservationTarget | undefined,
): ReadonlyMap<string, readonly ReservationTarget[]> {
  const targets = new Map<string, ReservationTarget[]>();
  for (const { pod, target } of placements) {
    const known = isVirtualPodKey(pod) && target.kind === 'Node' ? targetOf(target.name) : undefined;
    if (known === undefined) continue;
    const buffer = bufferOfPod(pod);
    append(targets, buffer, known);
  }
  return targets;
}

/** `places` is undefined where nothing was planned, which says nothing new. `now` in milliseconds since 1970. */
export function statusOf(
  { template, generation, status }: CapacityBuffer,
  resolution: Resolution,
  places: BufferPlaces | undefined,
  now: number,
): CapacityBufferStatus {
  const common = { observedGeneration: generation, lastTransitionTime: now };
  const provisioning = provisioningOf(resolution, places);
  const changes = [
    { type: 'ReadyForProvisioning', ...readyOf(resolution), ...common },
    ...(provisioning === undefined ? [] : [{ type: 'Provisioning', ...provisioning, ...common }]),
  ];
  const conditions = changes.reduce<readonly BufferCondition[]>(withCondition, status.conditions);
  const strategy = ACTIVE_CAPACITY;
  if (resolution.kind === 'failed') return { ...status, strategy, conditions };
  const podTemplate =
    template?.kind === 'PodTemplate'
      ? { name: template.name, generation: resolution.template.generation }
      : undefined;
  return { podTemplate, replicas: resolution.count, strategy, conditions };
}

type Verdict = Pick<BufferCondition, 'status' | 'reason' | 'message'>;

function readyOf(resolution: Resolution): Verdict {
  if (resolution.kind === 'failed') return no(resolution.reason, resolution.message);
  return { status: 'True', reason: 'Resolved', message: `it is for ${counted(resolution.count, 'pod')}` };
}

function provisioningOf(resolution: Resolution, places: BufferPlaces | undefined): Verdict | undefined {
  if (resolution.kind === 'failed') return no('NotReadyForProvisioning', 'it is not ReadyForProvisioning');
  if (!resolution.isOpen) return no('BufferEmpty', 'it is for no pods: no window of its schedule is open');
  if (resolution.count === 0) return no('BufferEmpty', 'it is for no pods');
  if (places === undefined) return undefined;
  const { here, coming, short, infeasible, why } = places;
  const all = counted(here + coming + short + infeasible, 'pod');
  if (infeasible > 0) return no('Infeasible', `no node can hold ${String(infeasible)} of ${all}: ${why}`);
  if (short > 0) return no('RequiresNewCapacity', `${String(short)} of ${all} have no room: ${why}`);
  if (coming > 0)
    return no('RequiresNewCapacity', `${String(coming)} of ${all} wait for nodes that are launched`);
  return { status: 'True', reason: 'FitsExistingCapacity', message: `nodes have room for ${all}` };
}

function no(reason: string, message: string): Verdict {
  return { status: 'False', reason, message };
}
