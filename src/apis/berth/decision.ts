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
import type { Decoded } from '../kubernetes/object/finding.js';
import {
  choice,
  derived,
  field,
  optionalList,
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
  },
  { validations: [IMMUTABLE] },
);

/** A decision that does not say what was done is none. */
const spec: Codec<DecisionSpec | undefined> = validated(specJson, {
  read: ({ action, ...rest }) => action && { ...rest, action },
  write: (value: DecisionSpec) => value,
});

interface Status {
  readonly outcome: string;
}

const status = object<Status>(
  {
    outcome: field('Outcome. Absent while the action is in progress.', textOrEmpty({ maxLength: 1024 })),
  },
  { isOptional: true },
);

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
  decision: Pick<Decision, 'name' | 'spec' | 'outcome'> & BerthMeta,
): JsonObject {
  const { outcome } = decision;
  return decisionKind.encode(decision, decision.spec, outcome === '' ? undefined : { outcome });
}

/** Decodes a decision; undefined when it does not say what was done. Never throws. */
export function decodeDecision(json: unknown): Decoded<Decision> {
  return decisionKind.decode(json, ({ meta: { name, uid, resourceVersion }, spec: decided, status }) => {
    return decided && { name, uid, resourceVersion, spec: decided, outcome: status.outcome };
  });
}
