/** Decisions of berth.sh/v1 ⇄ domain. */
import {
  decisionSummary,
  DECISION_ACTIONS,
  type Decision,
  MOST_RELATED,
  type DecisionRelated,
  type DecisionSpec,
  type DecisionSubject,
} from '../../domain/decision.js';
import type { JsonObject } from '../../domain/policy.js';
import {
  firstElements,
  hasObject,
  member,
  optionalText,
  refuseMissing,
  requiredChoice,
  requiredText,
  rootField,
  type Field,
} from '../kubernetes/field.js';
import type { Decoded } from '../kubernetes/finding.js';
import { readObjectMeta } from '../kubernetes/object-meta.js';
import { formatTime, readTime } from '../kubernetes/time.js';
import { berthObject, compact, type BerthMeta } from './berth-object.js';
import { readPrice } from './price.js';

/** The object; its status only once something came of it. */
export function encodeDecision(
  decision: Pick<Decision, 'name' | 'spec' | 'outcome'> & BerthMeta,
): JsonObject {
  const { spec, outcome, ...meta } = decision;
  return berthObject('Decision', meta, {
    spec: encodeSpec(spec),
    ...(outcome !== '' && { status: { outcome } }),
  });
}

function encodeSpec({ time, subject, action, reason, message, ...more }: DecisionSpec): JsonObject {
  const { trigger, considered, saving, related = [] } = more;
  return compact({
    time: formatTime(time),
    subject: compact({
      kind: subject.kind,
      namespace: subject.namespace === '' ? undefined : subject.namespace,
      name: subject.name,
      uid: subject.uid === '' ? undefined : subject.uid,
    }),
    action,
    reason,
    message,
    summary: decisionSummary(message),
    trigger: trigger === '' ? undefined : trigger,
    considered: considered === '' ? undefined : considered,
    saving,
    related: related.length === 0 ? undefined : related.slice(0, MOST_RELATED).map(encodeRelated),
  });
}

function encodeRelated({ kind, namespace, name }: DecisionRelated): JsonObject {
  return compact({ kind, namespace: namespace === '' ? undefined : namespace, name });
}

/** Decodes a decision; undefined when it does not say what was done. Never throws. */
export function decodeDecision(object: unknown): Decoded<Decision> {
  const root = rootField(object);
  const meta = readObjectMeta(root);
  const field = member(root, 'spec');
  if (meta !== undefined && !hasObject(field) && field.value === undefined) refuseMissing(field);
  const spec = meta && readSpec(field);
  if (meta === undefined || spec === undefined) return { value: undefined, findings: root.findings };
  const { name, uid, resourceVersion } = meta;
  const outcome = optionalText(member(member(root, 'status'), 'outcome')) ?? '';
  return { value: { name, uid, resourceVersion, spec, outcome }, findings: root.findings };
}

function readSpec(field: Field): DecisionSpec | undefined {
  const action = requiredChoice(member(field, 'action'), DECISION_ACTIONS);
  if (action === undefined) return undefined;
  return {
    time: readTime(member(field, 'time')) ?? 0,
    subject: readSubject(member(field, 'subject')),
    action,
    reason: requiredText(member(field, 'reason')),
    message: optionalText(member(field, 'message')) ?? '',
    trigger: optionalText(member(field, 'trigger')) ?? '',
    considered: optionalText(member(field, 'considered')) ?? '',
    saving: readPrice(member(field, 'saving')),
    related: readRelated(member(field, 'related')),
  };
}

/** undefined where it names nothing. */
function readRelated(field: Field): readonly DecisionRelated[] | undefined {
  const related = firstElements(field, MOST_RELATED).map(readRelatedObject);
  return related.length === 0 ? undefined : related;
}

function readRelatedObject(field: Field): DecisionRelated {
  hasObject(field);
  return {
    kind: requiredText(member(field, 'kind')),
    namespace: optionalText(member(field, 'namespace')) ?? '',
    name: requiredText(member(field, 'name')),
  };
}

function readSubject(field: Field): DecisionSubject {
  hasObject(field);
  return {
    kind: requiredText(member(field, 'kind')),
    namespace: optionalText(member(field, 'namespace')) ?? '',
    name: requiredText(member(field, 'name')),
    uid: optionalText(member(field, 'uid')) ?? '',
  };
}
