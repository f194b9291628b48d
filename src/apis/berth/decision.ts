/** Decisions of berth.sh/v1. */
import {
  decisionSummary,
  DECISION_ACTIONS,
  MOST_REASONS,
  MOST_RELATED,
  type Decision,
  type DecisionReason,
  type DecisionRelated,
  type DecisionSpec,
  type DecisionSubject,
} from '../../domain/records/decision.js';
import type { JsonObject } from '../../domain/policies/policy.js';
import {
  MOST_PROPOSED_CLAIMS,
  MOST_PROPOSED_PODS,
  PROPOSAL_PHASES,
  PROPOSED_ACTS,
  readVerdict,
  verdictAnnotations,
  type Proposal,
  type ProposalPhase,
  type ProposalProgress,
} from '../../domain/records/proposal.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import {
  choice,
  derived,
  field,
  integer,
  list,
  mapped,
  optionalChoiceOf,
  optionalList,
  optionalObject,
  message,
  object,
  price,
  text,
  textOrEmpty,
  time,
  validated,
  withDefault,
  type Codec,
  type Incomplete,
} from './codec.js';
import { AGE, berthKind, IMMUTABLE, type BerthMeta } from './kind.js';

/** One CamelCase word. */
const CODE = '^[A-Za-z][A-Za-z0-9]*$';
const REQUIRED = { isRequired: true };
const KIND = field('Kind of the object.', text({ minLength: 1, maxLength: 63 }));
const NAMESPACE = field('Namespace of the object, if it has one.', textOrEmpty({ maxLength: 63 }));
const NAME = field('Name of the object.', text({ minLength: 1, maxLength: 253 }));

const reasons = optionalList(
  object<DecisionReason>({
    code: field('Reason code of the constraint.', text({ minLength: 1, maxLength: 128, pattern: CODE })),
    nodePool: field(
      'NodePool that cannot hold the pod. Further reasons of the same NodePool apply after the first is resolved.',
      textOrEmpty({ maxLength: 63 }),
    ),
    constraint: field('The constraint that is not met.', message(1024), { isRequired: true }),
    wanted: field('Requested value.', message(1024)),
    got: field('Available value.', message(1024)),
    change: field('Smallest change that would help.', message(1024)),
  }),
  { maxItems: MOST_REASONS },
);

const names = (maxItems: number): Codec<readonly string[]> =>
  list(text({ minLength: 1, maxLength: 253 }), { maxItems });
const count = withDefault(integer({ minimum: 0 }), 0);

const proposalJson = object<Incomplete<Proposal, 'act'>>({
  act: field('What is proposed.', choice(PROPOSED_ACTS)),
  price: field(
    'USD per hour of the instances to be launched, each at its cheapest offering.',
    withDefault(price({ minimum: 0 }), 0),
  ),
  nodes: field('Nodes that a launch adds, or that a disruption removes.', count),
  evictions: field('Pods to be evicted.', count),
  nodePools: field('NodePools that instances are launched from.', names(1000)),
  pods: field(
    'UIDs of the pods that the launch is for.',
    list(text({ maxLength: 64 }), { maxItems: MOST_PROPOSED_PODS }),
  ),
  nodeClaims: field('NodeClaims that the disruption ends.', names(MOST_PROPOSED_CLAIMS)),
});

/** A proposal that does not say what it proposes is none. */
const proposal: Codec<Proposal | undefined> = validated(optionalObject(proposalJson), {
  read: (json) => json?.act && { ...json, act: json.act },
  write: (value: Proposal) => value,
});

const specJson = object<Incomplete<DecisionSpec, 'action'>, 'summary'>(
  {
    time: field('Time of the decision.', withDefault(time, 0), REQUIRED),
    subject: field(
      'Object that the decision is about.',
      object<DecisionSubject>({
        kind: KIND,
        namespace: NAMESPACE,
        name: NAME,
        uid: field('UID of the object.', textOrEmpty({ maxLength: 128 })),
      }),
    ),
    action: field('The action that was taken or refused.', choice(DECISION_ACTIONS)),
    reason: field('Reason as one CamelCase word.', text({ minLength: 1, maxLength: 128, pattern: CODE })),
    message: field('Human-readable message.', textOrEmpty({ maxLength: 8192 }), REQUIRED),
    summary: derived(
      'Beginning of the message, for kubectl get.',
      textOrEmpty({ maxLength: 80 }),
      ({ message: whole }: Pick<DecisionSpec, 'message'>) => decisionSummary(whole),
    ),
    trigger: field('What triggered the decision.', textOrEmpty({ maxLength: 1024 })),
    considered: field('Alternatives that were considered, best first.', textOrEmpty({ maxLength: 16_384 })),
    reasons: field('Constraints that are not met, for a refusal; the nearest NodePool first.', reasons),
    saving: field(
      'USD saved per hour, for decisions about cost. Negative means that it costs more.',
      price(),
    ),
    related: field(
      'Related objects, such as the Node of a NodeClaim.',
      optionalList(object<DecisionRelated>({ kind: KIND, namespace: NAMESPACE, name: NAME }), {
        maxItems: MOST_RELATED,
        isAtomic: false,
      }),
    ),
    proposal: field('What waits for approval, for the action Propose.', proposal),
  },
  { validations: [IMMUTABLE] },
);

/** A decision that does not say what was done is none. */
const spec: Codec<DecisionSpec | undefined> = validated(specJson, {
  read: ({ action, ...rest }) => action && { ...rest, action },
  write: (value: DecisionSpec) => value,
});

type Status = Pick<Decision, 'outcome' | 'progress'>;

interface StatusJson extends Omit<ProposalProgress, 'phase'> {
  readonly outcome: string;
  readonly phase: ProposalPhase | undefined;
}

const statusJson = object<StatusJson>(
  {
    outcome: field('Outcome. Absent while the action is in progress.', textOrEmpty({ maxLength: 1024 })),
    phase: field('How far a proposal is.', optionalChoiceOf(PROPOSAL_PHASES)),
    by: field('Who approved or rejected the proposal.', textOrEmpty({ maxLength: 1024 }), {
      name: 'decidedBy',
    }),
    since: field('When the phase began.', time),
  },
  { isOptional: true },
);

const status: Codec<Status> = mapped(statusJson, {
  read: ({ outcome, phase, by, since }) =>
    phase === undefined ? { outcome } : { outcome, progress: { phase, by, since } },
  write: ({ outcome, progress }: Status) => ({
    outcome,
    phase: progress?.phase,
    by: progress?.by ?? '',
    since: progress?.since,
  }),
});

export const decisionKind = berthKind<DecisionSpec | undefined, Status>({
  kind: 'Decision',
  plural: 'decisions',
  shortName: 'bdec',
  about: 'Why something was done, or was not. Berth keeps a bounded number of them.',
  description: 'Decision records why Berth did something, or did not.',
  selectableFields: [
    '.spec.subject.kind',
    '.spec.subject.namespace',
    '.spec.subject.name',
    '.spec.subject.uid',
    '.spec.action',
    '.spec.reason',
  ],
  columns: [
    { name: 'Subject', type: 'string', jsonPath: '.spec.subject.name' },
    { name: 'Action', type: 'string', jsonPath: '.spec.action' },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason' },
    { name: 'Message', type: 'string', jsonPath: '.spec.summary' },
    { name: 'Saving', type: 'number', jsonPath: '.spec.saving' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    AGE,
    { name: 'Kind', type: 'string', jsonPath: '.spec.subject.kind', isWide: true },
    { name: 'Trigger', type: 'string', jsonPath: '.spec.trigger', isWide: true },
    { name: 'Outcome', type: 'string', jsonPath: '.status.outcome', isWide: true },
    { name: 'Details', type: 'string', jsonPath: '.spec.message', isWide: true },
  ],
  spec: field('The decision. It is immutable.', spec),
  status: field('Result of the decision.', status),
});

/** The object; its status only once something came of it. */
export function encodeDecision(
  decision: Pick<Decision, 'name' | 'spec' | 'outcome' | 'progress' | 'verdict'> &
    Omit<BerthMeta, 'annotations'>,
): JsonObject {
  const { outcome, progress, verdict } = decision;
  const annotations = verdict && new Map(Object.entries(verdictAnnotations(verdict)));
  const meta: BerthMeta = { ...decision, ...(annotations && { annotations }) };
  return decisionKind.encode(
    meta,
    decision.spec,
    outcome === '' && progress === undefined ? undefined : { outcome, progress },
  );
}

/** Decodes a decision; undefined when it does not say what was done. Never throws. */
export function decodeDecision(json: unknown): Decoded<Decision> {
  return decisionKind.decode(json, ({ meta, spec: decided, status: { outcome, progress } }) => {
    if (decided === undefined) return undefined;
    const { name, uid, resourceVersion, annotations } = meta;
    const verdict = readVerdict(annotations);
    return {
      ...{ name, uid, resourceVersion, spec: decided, outcome },
      ...(progress && { progress }),
      ...(verdict && { verdict }),
    };
  });
}

/** The status as a merge patch writes it: what is not there is taken away. */
export function decisionStatusPatch({ outcome, progress }: Status): JsonObject {
  const written = status.write({ outcome, progress }) as JsonObject | undefined;
  return { outcome: null, ...written };
}
