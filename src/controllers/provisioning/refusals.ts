/** Tells of pods that no pool can hold. */
import type { DecisionReason } from '../../domain/records/decision.js';
import type { OwnDecisionReason } from '../../domain/records/decision-reasons.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { describePause, type Pause } from '../../domain/records/pause.js';
import { podKey } from '../../domain/pods/pod.js';
import { nearestFirst } from '../../planning/explain/nearest-first.js';
import { describeNote, type Plan, type PoolReason, type UnschedulablePod } from '../../planning/plan.js';
import { describePoolReason, poolReasonTexts } from '../../planning/describe-reason.js';
import type { NewDecision } from '../../ports/recorder.js';

/** A pod that has no place, with the plan's word on it. */
export interface RefusedPod {
  readonly pod: ObservedPod;
  readonly answer: UnschedulablePod;
}

export function refusedPods(plan: Plan, demand: readonly ObservedPod[]): readonly RefusedPod[] {
  const byKey = new Map(demand.map((pod) => [podKey(pod), pod]));
  return plan.unschedulable.flatMap((answer) => {
    const pod = byKey.get(answer.pod);
    return pod === undefined ? [] : { pod, answer };
  });
}

/** Reasons of a refusal that is not about one pool. */
const NO_REASON = 'Unschedulable' satisfies OwnDecisionReason;
const NOT_READY = 'PoliciesNotReady' satisfies OwnDecisionReason;
/** Pools that a message or an event names; `reasons` has the others too, and `berth explain pod` lists them. */
const MOST_TOLD = 3;
/** Pools that are recorded; a Decision is an object of the API. */
const MOST_RECORDED = 50;

/**
 * What is recorded of it: the code of the nearest reason, the three nearest pools in words, and all reasons as values.
 * `unready` says which policies the plan had to do without; '' when none. A refusal for the same reason without it is news.
 */
export function refusalDecision({ pod, answer }: RefusedPod, unready = ''): NewDecision {
  const reasons = nearestFirst(answer.reasons).slice(0, MOST_RECORDED);
  const words = reasons
    .slice(0, MOST_TOLD)
    .map((each) =>
      each.nodePool === ''
        ? describePoolReason(each)
        : `NodePool ${each.nodePool}: ${describePoolReason(each)}`,
    );
  const more = answer.reasons.length - MOST_TOLD;
  const where = `berth explain pod ${pod.namespace}/${pod.name}`;
  const rest = more > 0 ? [`${String(more)} more NodePool${more === 1 ? '' : 's'}: see ${where}`] : [];
  return {
    subject: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
    action: 'Refuse',
    reason: unready === '' ? (reasons[0]?.reason.code ?? NO_REASON) : NOT_READY,
    message: [...(unready === '' ? [] : [unready]), ...words, ...rest].join('; '),
    reasons: [
      ...(unready === '' ? [] : [clusterReason(NOT_READY, unready)]),
      ...reasons.flatMap(poolReasons),
    ],
    trigger: 'batch',
    considered: '',
    saving: undefined,
    event: { type: 'Warning', reason: 'FailedScheduling' },
  };
}

function poolReasons(reason: PoolReason): readonly DecisionReason[] {
  return poolReasonTexts(reason).map((text) => ({ ...text, nodePool: reason.nodePool }));
}

/** A reason that is about no pool. */
function clusterReason(code: OwnDecisionReason, constraint: string, change = ''): DecisionReason {
  return { code, nodePool: '', constraint, wanted: '', got: '', change };
}

/** What is recorded of the plan's notes on pods that it placed; pods without a place get the reason for that instead. */
export function noteDecisions(
  { notes = [], unschedulable }: Plan,
  demand: readonly ObservedPod[],
): NewDecision[] {
  if (notes.length === 0) return [];
  const byKey = new Map(demand.map((pod) => [podKey(pod), pod]));
  for (const { pod } of unschedulable) byKey.delete(pod);
  return notes.flatMap((note) => {
    const pod = byKey.get(note.pod);
    if (pod === undefined) return [];
    return {
      subject: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
      action: 'Place' as const,
      reason: note.code,
      message: describeNote(note),
      trigger: 'batch',
      considered: '',
      saving: undefined,
      event: { type: 'Warning' as const, reason: note.code },
    };
  });
}

/** What is recorded of a pod whose place was planned and could not be written. */
export function failedPlaceDecision(
  { namespace, name, uid }: ObservedPod,
  what: string,
  error: unknown,
): NewDecision {
  const why = `failed to write the ${what}: ${error instanceof Error ? error.message : String(error)}`;
  const next = 'the pod will be planned again';
  return {
    subject: { kind: 'Pod', namespace, name, uid },
    action: 'Refuse',
    reason: 'PlaceNotWritten',
    message: `${why}; ${next}`,
    reasons: [clusterReason('PlaceNotWritten', why, next)],
    trigger: 'batch',
    considered: '',
    saving: undefined,
    event: { type: 'Warning', reason: 'FailedScheduling' },
  };
}

/** What is recorded of a pod that nothing is planned for while Berth is paused. */
export function pausedDecision({ namespace, name, uid }: ObservedPod, pause: Pause): NewDecision {
  const next = 'no instance is launched until `berth resume`';
  return {
    subject: { kind: 'Pod', namespace, name, uid },
    action: 'Refuse',
    reason: 'Paused',
    message: `${describePause(pause)}; ${next}`,
    reasons: [clusterReason('Paused', describePause(pause), next)],
    trigger: 'batch',
    considered: '',
    saving: undefined,
    event: { type: 'Warning', reason: 'FailedScheduling' },
  };
}
