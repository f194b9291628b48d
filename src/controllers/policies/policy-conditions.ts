/** The conditions of a PolicyStatus: what the verdict says, and what the cloud makes of a node class. */
import { isTrue, type Condition } from '../../domain/values/condition.js';
import { describeConflict, type OverlayConflict } from '../../domain/nodes/overlay-conflicts.js';
import { isNodeClassRefusal } from '../../domain/policies/policy-conditions.js';
import type { ResolvedObjects, StatusPlacementGroup } from '../../domain/policies/resolved-objects.js';
import { policyStatusName, type PolicyStatus } from '../../domain/policies/policy.js';
import type { ResolvedNodeClass } from '../../ports/cloud.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { PolicyVerdict, UntimedCondition } from '../../state/policies/policy-verdict.js';

/** The conditions of a node class by which Karpenter says what it found. */
const FOUND_CONDITIONS = ['SubnetsReady', 'SecurityGroupsReady', 'AMIsReady'] as const;
const RESOLVED_CONDITIONS = [
  ...FOUND_CONDITIONS,
  'InstanceProfileReady',
  'CapacityReservationsReady',
] as const;
/** Only of classes that select a placement group. */
const PLACEMENT_GROUP = 'PlacementGroupReady';
const READY = 'Ready';
const VALIDATION = 'ValidationSucceeded';
/** The reason of a condition that the cloud has not been asked about (Karpenter: AwaitingReconciliation). */
const AWAITING = 'AwaitingReconciliation';
const NOT_RESOLVED = 'NotResolved';

/** A condition as it is or was written, with whatever reason it had then. */
export type KnownCondition = Omit<Condition, 'lastTransitionTime'>;

/** A part of a node class that was found: the reason is the type. */
type ReadyPart = {
  [Type in (typeof FOUND_CONDITIONS)[number]]: { readonly type: Type; readonly reason: Type };
}[(typeof FOUND_CONDITIONS)[number]];

type Unknown = Pick<Extract<UntimedCondition, { status: 'Unknown' }>, 'reason' | 'message'>;

/** Whether the cloud has neither resolved this node class yet nor failed to. */
export function isAwaitingResolution(conditions: readonly Condition[]): boolean {
  return conditions.some(({ type, reason }) => type === READY && reason === AWAITING);
}

/** What is known of a node class's subnets and so on: an answer, or why there is none. */
export type Resolution =
  | { readonly answer: ResolvedNodeClass }
  | { readonly failure: string }
  /** Not asked yet. */
  | 'pending';

/** Of a node class in force. Without an answer, what was known before stays. */
export function nodeClassConditions(
  verdict: PolicyVerdict,
  resolution: Resolution,
  known: PolicyStatus | undefined,
): readonly KnownCondition[] {
  const own = withRefusal(verdict, resolution, known);
  const ready = verdict.conditions.find(({ type }) => type === READY);
  if (resolution === 'pending' || 'failure' in resolution) {
    const unknown: Unknown =
      resolution === 'pending'
        ? { reason: AWAITING, message: 'not resolved yet' }
        : { reason: NOT_RESOLVED, message: resolution.failure };
    return [...own, ...unansweredConditions(unknown, known, ready)];
  }
  const found = foundConditions(resolution.answer);
  const isSettled = ready?.status === 'False' || resolution.answer.problems.length === 0;
  return [...own, ...found, isSettled && ready !== undefined ? ready : notResolved(resolution.answer)];
}

/** All but Ready. Where the cloud says nothing now, what it said of the document before holds. */
function withRefusal(
  { conditions }: PolicyVerdict,
  resolution: Resolution,
  known: PolicyStatus | undefined,
): readonly KnownCondition[] {
  const before = known?.conditions.find(({ type }) => type === VALIDATION);
  const isAnswered = resolution !== 'pending' && 'answer' in resolution;
  const refusal = isAnswered ? resolution.answer.refusal : before;
  return conditions.flatMap((condition): KnownCondition[] => {
    if (condition.type === READY) return [];
    const isRefused =
      condition.type === VALIDATION &&
      condition.status === 'True' &&
      refusal !== undefined &&
      isNodeClassRefusal(refusal.reason);
    return [
      isRefused
        ? { type: VALIDATION, status: 'False', reason: refusal.reason, message: refusal.message }
        : condition,
    ];
  });
}

/** Of a pool: not ready either while its node class, accepted as it is, cannot be launched from. */
export function poolConditions(
  cluster: Cluster,
  verdict: PolicyVerdict,
  more: readonly UntimedCondition[] = [],
): readonly UntimedCondition[] {
  return [...classConditions(cluster, verdict), ...more];
}

function classConditions(cluster: Cluster, verdict: PolicyVerdict): readonly UntimedCondition[] {
  const value = verdict.lastAccepted?.value;
  if (value?.kind !== 'NodePool' || !holds(verdict, 'NodeClassReady')) return verdict.conditions;
  const { kind, name } = value.nodePool.template.nodeClassRef;
  const status = cluster.policyStatuses.get(policyStatusName(kind, name));
  if (status === undefined || isTrue(status.conditions, READY)) return verdict.conditions;
  const message = status.conditions.find(({ type }) => type === READY)?.message ?? '';
  return verdict.conditions.map((condition) =>
    condition.type === 'NodeClassReady' || (condition.type === READY && condition.status === 'True')
      ? {
          type: condition.type,
          status: 'False',
          reason: 'NodeClassNotReady',
          message: `${kind} ${JSON.stringify(name)}: ${message}`,
        }
      : condition,
  );
}

/** Of a NodeOverlay: an accepted one is refused still where it contradicts another, as Karpenter's condition has it. */
export function overlayConditions(
  verdict: PolicyVerdict,
  conflicts: readonly OverlayConflict[],
): readonly UntimedCondition[] {
  if (verdict.lastAccepted?.value === undefined) return verdict.conditions;
  const type = VALIDATION;
  const conflict = conflicts.find(({ overlay }) => overlay === verdict.policy);
  const own = verdict.conditions.filter((condition) => condition.type !== READY);
  if (conflict === undefined)
    return [...own, { type, status: 'True', reason: type, message: '' }, ...readyOf(verdict)];
  const refusal = { status: 'False', reason: 'Conflict', message: describeConflict(conflict) } as const;
  return [...own, { type, ...refusal }, { type: READY, ...refusal }];
}

function readyOf({ conditions }: PolicyVerdict): readonly UntimedCondition[] {
  return conditions.filter(({ type }) => type === READY);
}

/** The conditions with the time at which each got its status. */
export function timed(
  conditions: readonly KnownCondition[],
  known: PolicyStatus | undefined,
  now: number,
): readonly Condition[] {
  return conditions.map((condition) => {
    const before = known?.conditions.find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status;
    return { ...condition, lastTransitionTime: isSame ? before.lastTransitionTime : now };
  });
}

function holds(verdict: PolicyVerdict, type: string): boolean {
  return verdict.conditions.some((condition) => condition.type === type && condition.status === 'True');
}

function unansweredConditions(
  unknown: Unknown,
  known: PolicyStatus | undefined,
  ready: UntimedCondition | undefined,
): readonly KnownCondition[] {
  const before = (known?.conditions ?? []).filter(
    ({ type, status }) =>
      status !== 'Unknown' && [...RESOLVED_CONDITIONS, PLACEMENT_GROUP].some((known) => known === type),
  );
  if (ready?.status === 'False') return [...before.map(untimed), ready];
  const readyBefore = known?.conditions.find(({ type }) => type === READY);
  if (readyBefore !== undefined && (before.length > 0 || isAnswer(readyBefore)))
    return [...before, readyBefore].map(untimed);
  return ([...RESOLVED_CONDITIONS, READY] as const).map((type): UntimedCondition => ({
    type,
    status: 'Unknown',
    ...unknown,
  }));
}

/** Whether Ready tells what the cloud answered: the nodes of some clouds have no parts that have conditions of their own. */
function isAnswer({ status, reason }: Condition): boolean {
  return status === 'True' || (status === 'False' && reason === NOT_RESOLVED);
}

function untimed({ type, status, reason, message }: Condition): KnownCondition {
  return { type, status, reason, message };
}

function foundConditions(answer: ResolvedNodeClass): readonly UntimedCondition[] {
  return [
    ...foundCondition({ type: 'SubnetsReady', reason: 'SubnetsReady' }, answer.subnetIDs),
    ...foundCondition(
      { type: 'SecurityGroupsReady', reason: 'SecurityGroupsReady' },
      answer.securityGroupIDs,
    ),
    ...foundCondition({ type: 'AMIsReady', reason: 'AMIsReady' }, answer.imageIDs),
    ...(answer.objects === undefined ? [] : objectConditions(answer.objects)),
  ];
}

function objectConditions({
  instanceProfile,
  capacityReservations,
  placementGroups,
}: ResolvedObjects): readonly UntimedCondition[] {
  const profile = 'InstanceProfileReady';
  const reservations = 'CapacityReservationsReady';
  const ids = capacityReservations.map(({ id }) => id).join(', ');
  return [
    instanceProfile === ''
      ? { type: profile, status: 'False', reason: 'NoInstanceProfile', message: 'see Ready' }
      : { type: profile, status: 'True', reason: profile, message: instanceProfile },
    { type: reservations, status: 'True', reason: reservations, message: ids },
    ...(placementGroups === undefined ? [] : [placementGroupCondition(placementGroups)]),
  ];
}

function placementGroupCondition([found]: readonly StatusPlacementGroup[]): UntimedCondition {
  const type = PLACEMENT_GROUP;
  return found === undefined
    ? { type, status: 'False', reason: 'PlacementGroupNotFound', message: 'see Ready' }
    : { type, status: 'True', reason: type, message: `${found.name} (${found.id}, ${found.strategy})` };
}

/** None where nodes of the cloud have no such thing. */
function foundCondition(ready: ReadyPart, ids: readonly string[] | undefined): readonly UntimedCondition[] {
  if (ids === undefined) return [];
  return [conditionOf(ready, ids)];
}

function conditionOf(ready: ReadyPart, ids: readonly string[]): UntimedCondition {
  return ids.length > 0
    ? { ...ready, status: 'True', message: ids.join(', ') }
    : {
        type: ready.type,
        status: 'False',
        reason: 'NoneFound',
        message: 'nothing matches the selector terms',
      };
}

function notResolved({ problems }: ResolvedNodeClass): UntimedCondition {
  return { type: READY, status: 'False', reason: NOT_RESOLVED, message: problems.join('; ') };
}
