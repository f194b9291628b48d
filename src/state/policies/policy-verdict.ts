/** What is in force under one kind and name, given the documents that claim it and what was accepted before. */
import type { PolicyCondition } from '../../domain/policies/policy-conditions.js';
import type { Condition } from '../../domain/values/condition.js';
import { poolScale, type PoolScale } from '../../domain/policies/pool-scale.js';
import {
  DELETE_ANNOTATION,
  describeSource,
  hasNodes,
  isCustomResource,
  type AcceptedPolicy,
  type PolicyConfigMap,
  type PolicyDocument,
  type PolicyKind,
  type PolicySource,
  type PolicyStatus,
  type PolicyValue,
} from '../../domain/policies/policy.js';

/** A condition without the time at which it changed; `withCondition` adds that. */
export type UntimedCondition = PolicyCondition & Pick<Condition, 'message'>;

/** A document that does not count, since another of its kind and name does. */
export interface RefusedPolicy {
  readonly source: PolicySource;
  /** Names both documents. */
  readonly message: string;
}

export interface PolicyVerdict {
  readonly kind: PolicyKind;
  readonly policy: string;
  /** What PolicyStatus keeps from now on; its value, where there is one, is in force. */
  readonly lastAccepted: AcceptedPolicy | undefined;
  /** What PolicyStatus says from now on of how many nodes a static NodePool is to have. */
  readonly scale: PoolScale | undefined;
  readonly conditions: readonly UntimedCondition[];
  /** The document is gone, or the node class of this pool is: no launch and no voluntary disruption. */
  readonly frozen: boolean;
  /** The document is gone and the user has said what becomes of its nodes. */
  readonly deletion: 'drain' | 'orphan' | undefined;
  /** Nothing depends on it any more: its PolicyStatus can go. */
  readonly gone: boolean;
  readonly warnings: readonly string[];
  readonly refused: readonly RefusedPolicy[];
}

/** All that is known of one kind and name. */
export interface PolicyCase {
  readonly kind: PolicyKind;
  readonly name: string;
  /** Documents of this kind and name, the ConfigMap that was created first at the front. */
  readonly documents: readonly PolicyDocument[];
  readonly status: PolicyStatus | undefined;
  /** By name. */
  readonly configMaps: ReadonlyMap<string, PolicyConfigMap>;
}

export function isSameSource(left: PolicySource, right: PolicySource): boolean {
  return left.configMap === right.configMap && left.key === right.key;
}

/**
 * Decides a case by DESIGN's rules: what is invalid keeps its last good version; what is gone is frozen until it
 * returns or its PolicyStatus says drain or orphan; of several, the one accepted before stays, else the one that was
 * created first among those without errors.
 */
export function policyVerdict(known: PolicyCase): PolicyVerdict {
  const documents = countingDocuments(known);
  const holder = holderOf(documents, known);
  if (holder === undefined) return withoutDocument(known);
  const last = known.status?.lastAccepted;
  const errors = holder.value === undefined ? holder.errors : transitionErrors(last?.value, holder.value);
  const isValid = holder.value !== undefined && errors.length === 0;
  const lastAccepted = isValid ? accepted(holder, holder.value) : last;
  const refused = documents
    .filter((document) => document !== holder)
    .map((document) => refusal(document, holder));
  const conditions = [
    ...validity(known.kind, isValid ? ACCEPTED : invalid(errors, last)),
    ...refused.slice(0, 1).map(({ message }) => duplicate(message)),
  ];
  return verdict(known, { lastAccepted, conditions, warnings: holder.warnings, refused });
}

/** What an accepted policy cannot become: a NodePool is static or dynamic for as long as it exists, as in Karpenter. */
function transitionErrors(before: PolicyValue | undefined, after: PolicyValue): readonly string[] {
  if (before?.kind !== 'NodePool' || after.kind !== 'NodePool') return [];
  const wasStatic = before.nodePool.replicas !== undefined;
  if (wasStatic === (after.nodePool.replicas !== undefined)) return [];
  const change = wasStatic ? 'removed from' : 'added to';
  return [
    `spec.replicas cannot be ${change} an accepted NodePool: it is ${wasStatic ? 'static' : 'dynamic'} for as long as it exists; use a NodePool of another name`,
  ];
}

const ACCEPTED: UntimedCondition = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '' };

/** Whether the document that is there has errors: of what Karpenter says so too, in its words besides. */
function validity(kind: PolicyKind, acceptance: UntimedCondition): readonly UntimedCondition[] {
  if (!hasNodes(kind)) return [acceptance];
  const type = 'ValidationSucceeded';
  const { message } = acceptance;
  const succeeded: UntimedCondition =
    acceptance.status === 'True'
      ? { type, status: 'True', reason: type, message }
      : { type, status: 'False', reason: 'Invalid', message };
  return [acceptance, succeeded];
}

function notAccepted(reason: 'Invalid' | 'Deleted' | 'DocumentMissing', message: string): UntimedCondition {
  return { type: 'Accepted', status: 'False', reason, message };
}

function duplicate(message: string): UntimedCondition {
  return { type: 'Unique', status: 'False', reason: 'DuplicateName', message };
}

function verdict(known: PolicyCase, decided: Partial<PolicyVerdict>): PolicyVerdict {
  return {
    kind: known.kind,
    policy: known.name,
    lastAccepted: undefined,
    scale: scaleOf(decided.lastAccepted?.value, known.status?.scale),
    conditions: [],
    frozen: false,
    deletion: undefined,
    gone: false,
    warnings: [],
    refused: [],
    ...decided,
  };
}

/** While this version of Berth cannot read the policy, what was said of its scale is kept for one that can. */
function scaleOf(value: PolicyValue | undefined, known: PoolScale | undefined): PoolScale | undefined {
  if (value === undefined) return known;
  return value.kind === 'NodePool' ? poolScale(value.nodePool, known) : undefined;
}

/** A policy that was written for Berth counts instead of the other system's, so that a user sees what would come of it. */
function countingDocuments({ documents }: PolicyCase): readonly PolicyDocument[] {
  const own = documents.filter(({ source }) => !isCustomResource(source));
  return own.length > 0 ? own : documents;
}

function holderOf(documents: readonly PolicyDocument[], { status }: PolicyCase): PolicyDocument | undefined {
  const last = status?.lastAccepted;
  const atItsPlace =
    last === undefined ? [] : documents.filter(({ source }) => isSameSource(source, last.source));
  const candidates = atItsPlace.length > 0 ? atItsPlace : documents;
  return candidates.find(({ value }) => value !== undefined) ?? candidates[0];
}

function accepted(document: PolicyDocument, value: PolicyValue | undefined): AcceptedPolicy {
  return { source: document.source, document: document.document, hash: document.hash, value };
}

function withoutDocument(known: PolicyCase): PolicyVerdict {
  const last = known.status?.lastAccepted;
  // Of what was only observed, Berth has launched nothing.
  if (last === undefined || isCustomResource(last.source)) return verdict(known, { gone: true });
  // A text that no longer parses has lost kind and name, but it has not been taken away.
  const unreadable = known.configMaps.get(last.source.configMap)?.errors ?? [];
  if (unreadable.length > 0)
    return verdict(known, {
      lastAccepted: last,
      conditions: validity(known.kind, invalid(unreadable, last)),
    });
  if (!hasNodes(known.kind)) return verdict(known, { gone: true });
  return verdict(known, { lastAccepted: last, ...disappeared(last, known.status) });
}

function disappeared(last: AcceptedPolicy, status: PolicyStatus | undefined): Partial<PolicyVerdict> {
  const wish = status?.annotations.get(DELETE_ANNOTATION);
  const deletion = wish === 'drain' || wish === 'orphan' ? wish : undefined;
  const gone = `the document was removed from ${describeSource(last.source)}`;
  if (deletion !== undefined)
    return {
      deletion,
      conditions: [notAccepted('Deleted', `${gone}; ${DELETE_ANNOTATION}: ${deletion}`)],
    };
  const found = wish === undefined ? '' : `, not ${JSON.stringify(wish)}`;
  const way = `it is frozen until the document returns or this object is annotated ${DELETE_ANNOTATION}: drain or orphan${found}`;
  return { frozen: true, conditions: [notAccepted('DocumentMissing', `${gone}; ${way}`)] };
}

function invalid(errors: readonly string[], last: AcceptedPolicy | undefined): UntimedCondition {
  const force =
    last === undefined
      ? 'no version is active'
      : last.value === undefined
        ? 'the last accepted version cannot be read by this version of Berth, so no version is active'
        : `the last accepted version, from ${describeSource(last.source)}, stays active`;
  return notAccepted('Invalid', `${errors.join('\n')}\n${force}`);
}

function refusal(document: PolicyDocument, holder: PolicyDocument): RefusedPolicy {
  const what = `${document.kind} ${JSON.stringify(document.name)}`;
  const message = `${what} is defined in ${describeSource(holder.source)} and again in ${describeSource(document.source)}: the first one is used`;
  return { source: document.source, message };
}
