/** Which policies hold: all documents and what was accepted before, sorted out. */
import { isNodeClassKind, type NodeClass } from '../../domain/policies/node-class.js';
import type { NodeOverlay } from '../../domain/policies/node-overlay.js';
import type { NodeClassRef, NodePool } from '../../domain/policies/node-pool.js';
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import { scaledPool } from '../../domain/policies/pool-scale.js';
import {
  policyStatusName,
  type PolicyConfigMap,
  type PolicyDocument,
  type PolicyStatus,
} from '../../domain/policies/policy.js';
import {
  policyVerdict,
  type PolicyCase,
  type PolicyVerdict,
  type UntimedCondition,
} from './policy-verdict.js';

export interface AcceptedPool {
  readonly nodePool: NodePool;
  /** Known, but neither launched for nor voluntarily disrupted. */
  readonly frozen: boolean;
}

/** Each list in the order of names. */
export interface AcceptedPolicies {
  readonly pools: readonly AcceptedPool[];
  readonly nodeClasses: readonly NodeClass[];
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly podDefaults: readonly PodDefaults[];
  /** One for every kind and name that a document or a PolicyStatus has. */
  readonly verdicts: readonly PolicyVerdict[];
}

/** Decides each kind and name by itself, so that one bad document never stops the others. */
export function acceptedPolicies(
  configMaps: Iterable<PolicyConfigMap>,
  statuses: Iterable<PolicyStatus>,
): AcceptedPolicies {
  const decided = casesOf([...configMaps].sort(byAge), statuses).map(policyVerdict);
  const verdicts = withReadiness(decided);
  const values = verdicts
    .filter(({ deletion, gone }) => deletion === undefined && !gone)
    .map((verdict) => ({
      frozen: verdict.frozen,
      scale: verdict.scale,
      value: verdict.lastAccepted?.value,
    }));
  return {
    pools: values.flatMap(({ value, frozen, scale }) =>
      value?.kind === 'NodePool' ? [{ nodePool: scaledPool(value.nodePool, scale), frozen }] : [],
    ),
    nodeClasses: values.flatMap(({ value }) =>
      value !== undefined && 'nodeClass' in value ? [value.nodeClass] : [],
    ),
    nodeOverlays: values.flatMap(({ value }) => (value?.kind === 'NodeOverlay' ? [value.nodeOverlay] : [])),
    podDefaults: values.flatMap(({ value }) => (value?.kind === 'PodDefaults' ? [value.podDefaults] : [])),
    verdicts,
  };
}

function casesOf(configMaps: readonly PolicyConfigMap[], statuses: Iterable<PolicyStatus>): PolicyCase[] {
  const byName = new Map(configMaps.map((configMap) => [configMap.name, configMap]));
  const cases = new Map<string, Omit<PolicyCase, 'documents'> & { documents: PolicyDocument[] }>();
  for (const status of statuses) {
    const key = policyStatusName(status.kind, status.policy);
    cases.set(key, { kind: status.kind, name: status.policy, documents: [], status, configMaps: byName });
  }
  for (const document of configMaps.flatMap(documentsByKey)) {
    const { kind, name } = document;
    const key = policyStatusName(kind, name);
    const known = cases.get(key);
    if (known !== undefined) known.documents.push(document);
    else cases.set(key, { kind, name, documents: [document], status: undefined, configMaps: byName });
  }
  return [...cases].sort(([left], [right]) => compare(left, right)).map(([, known]) => known);
}

function byAge(left: PolicyConfigMap, right: PolicyConfigMap): number {
  return left.createdAt - right.createdAt || compare(left.name, right.name);
}

/** Stable, so documents of one key stay in the order in which they are written. */
function documentsByKey({ documents }: PolicyConfigMap): PolicyDocument[] {
  return [...documents].sort((left, right) => compare(left.source.key, right.source.key));
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Adds what one policy means for another: a pool is only as ready as its node class. */
function withReadiness(verdicts: readonly PolicyVerdict[]): PolicyVerdict[] {
  const classes = new Map(
    verdicts.flatMap((verdict) => (isNodeClassKind(verdict.kind) ? [[keyOf(verdict), verdict]] : [])),
  );
  const used = new Set(verdicts.map((verdict) => statusOfClass(nodeClassOf(verdict))));
  return verdicts.map((verdict) => {
    if (verdict.kind === 'NodePool') return withNodeClass(verdict, classes);
    if (isNodeClassKind(verdict.kind) && verdict.frozen && !used.has(keyOf(verdict)))
      return { ...verdict, frozen: false, gone: true };
    return { ...verdict, conditions: [...verdict.conditions, ready(verdict)] };
  });
}

function keyOf({ kind, policy }: PolicyVerdict): string {
  return policyStatusName(kind, policy);
}

function statusOfClass(ref: NodeClassRef | undefined): string | undefined {
  return ref && policyStatusName(ref.kind, ref.name);
}

function nodeClassOf(verdict: PolicyVerdict): NodeClassRef | undefined {
  const value = verdict.lastAccepted?.value;
  if (value?.kind !== 'NodePool' || verdict.deletion !== undefined) return undefined;
  return value.nodePool.template.nodeClassRef;
}

function withNodeClass(pool: PolicyVerdict, classes: ReadonlyMap<string, PolicyVerdict>): PolicyVerdict {
  const ref = nodeClassOf(pool);
  if (ref === undefined) return { ...pool, conditions: [...pool.conditions, ready(pool)] };
  const nodeClass = classes.get(policyStatusName(ref.kind, ref.name));
  const isThere = nodeClass?.lastAccepted?.value !== undefined && nodeClass.deletion === undefined;
  const isFrozen = nodeClass?.frozen === true;
  const frozen = pool.frozen || isFrozen;
  const nodeClassReady = nodeClassCondition(ref, isThere, isFrozen);
  const decided = { ...pool, frozen };
  const readiness =
    nodeClassReady.status === 'True' ? ready(decided) : { ...nodeClassReady, type: 'Ready' as const };
  return { ...decided, conditions: [...pool.conditions, nodeClassReady, readiness] };
}

function nodeClassCondition(
  { kind, name }: NodeClassRef,
  isThere: boolean,
  isFrozen: boolean,
): Extract<UntimedCondition, { type: 'NodeClassReady' }> {
  const type = 'NodeClassReady';
  const what = `${kind} ${JSON.stringify(name)}`;
  if (!isThere)
    return { type, status: 'False', reason: 'NodeClassNotFound', message: `no ${what} is accepted` };
  if (isFrozen)
    return {
      type,
      status: 'False',
      reason: 'NodeClassFrozen',
      message: `the document of ${what} was removed`,
    };
  return { type, status: 'True', reason: 'NodeClassReady', message: '' };
}

function ready(verdict: PolicyVerdict): UntimedCondition {
  const type = 'Ready';
  const acceptance = verdict.conditions.find((condition) => condition.type === 'Accepted');
  const isInForce = verdict.lastAccepted?.value !== undefined && verdict.deletion === undefined;
  if (isInForce && !verdict.frozen) return { type, status: 'True', reason: 'Ready', message: '' };
  const refusal =
    acceptance?.status === 'False' ? acceptance : ({ reason: 'NotAccepted', message: '' } as const);
  return { type, status: 'False', reason: refusal.reason, message: refusal.message };
}
