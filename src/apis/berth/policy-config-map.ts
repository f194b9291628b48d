/** Policy ConfigMaps of the API server → the documents in them, each with what is wrong with it. */
import { isLabelValue } from '../../domain/values/labels.js';
import {
  COMMON_POLICY_KINDS,
  type JsonObject,
  type PolicyConfigMap,
  type PolicyDocument,
  type PolicyKind,
} from '../../domain/policies/policy.js';
import type { CurrentObject } from '../conversion/policy-kinds.js';
import { formatIssue } from '../decode/format-issue.js';
import { formatPath } from '../decode/format-path.js';
import type { Document } from '../documents/document.js';
import { POLICY_BOUNDS, ReadBudget } from '../documents/read-budget.js';
import type { Issue } from '../issue.js';
import { type Field, member, members, optionalText, refuse, rootField } from '../kubernetes/object/field.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import { readObjectMeta } from '../kubernetes/object/object-meta.js';
import { nodeClassCodecs } from '../node-class/node-class-codecs.js';
import { POLICY_LABEL, policyDocuments } from '../policies/policy-documents.js';
import { policyValueOf } from './accepted-policy.js';
import { documentOf } from './plain-document.js';
import { policyHash } from './policy-hash.js';
import { decodeCurrent } from '../conversion/decode-policy.js';
import { mergeKubelets } from '../conversion/merge-kubelets.js';
import { upgrade } from '../conversion/upgrade.js';
import { Findings } from '../decode/findings.js';
import { warnOfPolicy } from '../policies/warn-of-policy.js';

const OBJECT_NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;

interface KeyText {
  readonly key: string;
  readonly documents: readonly Document[];
  readonly issues: readonly Issue[];
}

/**
 * Decodes a ConfigMap as policies, whatever its labels. Lines and columns count within the value of a key, which the
 * sentences name: `configmap/pools[general.yaml]:12:7`. Of a kind and name that stand in it twice the first holds, and
 * the other has an error. Never throws.
 */
export function decodePolicyConfigMap(object: unknown): Decoded<PolicyConfigMap> {
  const root = rootField(object);
  const meta = readObjectMeta(root);
  if (meta === undefined) return { value: undefined, findings: root.findings };
  const { name, resourceVersion, createdAt } = meta;
  for (const entry of members(member(root, 'binaryData')))
    refuse(entry, 'must be text under data to be read as policies');
  const budget = new ReadBudget(POLICY_BOUNDS);
  const texts = members(member(root, 'data')).flatMap((entry) =>
    budget.excess === undefined ? [readKey(name, entry, budget)] : [],
  );
  const keys = new Map(texts.flatMap(({ key, documents }) => documents.map((document) => [document, key])));
  const reads = readPolicySet([...keys.keys()]);
  const documents = reads.flatMap((read) => {
    return toPolicyDocuments(read, { configMap: name, key: keys.get(read.origin) ?? '' });
  });
  const nameless = reads.filter((read) => read.objects.length === 0 && nameOf(read.origin) === undefined);
  const errors = [
    ...root.findings.map((finding) => `configmap/${name}: ${formatPath(finding.path)} ${finding.text}`),
    ...[...texts, ...nameless].flatMap((item) => item.issues).map(formatIssue),
  ];
  return { value: { name, resourceVersion, createdAt, documents, errors }, findings: root.findings };
}

/** The policies under one key; what else stands there is an issue. */
function readKey(configMap: string, field: Field, budget: ReadBudget): KeyText {
  const key = String(field.key);
  const text = optionalText(field) ?? '';
  const value = { apiVersion: 'v1', kind: 'ConfigMap', data: { [key]: text } };
  const metadata = { name: configMap, labels: { [POLICY_LABEL]: 'true' } };
  const document = documentOf({ ...value, metadata });
  return { key, ...policyDocuments(document === undefined ? [] : [document], budget) };
}

/** What a kind of any version is called today; undefined where it is no policy. */
function currentKind(kind: string): PolicyKind | undefined {
  if (kind === 'Provisioner') return 'NodePool';
  const codec = nodeClassCodecs().find(({ versions }) => versions.some((version) => version.kind === kind));
  return codec?.kind ?? COMMON_POLICY_KINDS.find((common) => common === kind);
}

/** What a document with errors is called; undefined when nothing in the cluster can be called so. */
function nameOf({ kind, name }: Document): Pick<PolicyDocument, 'kind' | 'name'> | undefined {
  const known = currentKind(kind);
  return known !== undefined && OBJECT_NAME.test(name) && isLabelValue(name)
    ? { kind: known, name }
    : undefined;
}

function toPolicyDocuments(
  { origin, objects, issues }: PolicyRead,
  source: PolicyDocument['source'],
): readonly PolicyDocument[] {
  const errors = sentences(issues, ['error']);
  const warnings = sentences(issues, ['warning', 'note']);
  if (objects.length > 0)
    return objects.map((object, index) => ({
      ...identify(object, source),
      value: policyValueOf(object),
      // An object that was written within another shares its warnings.
      ...(index === 0 ? { errors, warnings } : { errors: [], warnings: [] }),
    }));
  const called = nameOf(origin);
  if (called === undefined) return [];
  const { value: document } = origin;
  return [{ ...called, source, document, hash: policyHash(document), value: undefined, errors, warnings }];
}

function identify(
  object: CurrentObject,
  source: PolicyDocument['source'],
): Pick<PolicyDocument, 'kind' | 'name' | 'source' | 'document' | 'hash'> {
  const document: JsonObject = { ...object };
  return { kind: object.kind, name: object.metadata.name, source, document, hash: policyHash(document) };
}

function sentences(issues: readonly Issue[], severities: readonly Issue['severity'][]): readonly string[] {
  return issues.filter(({ severity }) => severities.includes(severity)).map(formatIssue);
}

/** What became of one document. */
interface PolicyRead {
  readonly origin: Document;
  /** One, or more where an older pool carries its node class or kubelet within; none when there are errors. */
  readonly objects: readonly CurrentObject[];
  readonly issues: readonly Issue[];
}

interface Upgrading {
  readonly origin: Document;
  readonly objects: readonly CurrentObject[];
  readonly issues: readonly Issue[];
  readonly findings: Findings;
}

/** Reads the documents; a kind and name that an earlier one has is an error. */
function readPolicySet(documents: readonly Document[]): readonly PolicyRead[] {
  const upgraded = withoutDuplicates(documents);
  return withMergedKubelets(upgraded).map(({ origin, objects, issues, findings }) => {
    for (const object of objects) warn(object, findings);
    return { origin, objects, issues: [...issues, ...findings.issues] };
  });
}

function withoutDuplicates(documents: readonly Document[]): readonly Upgrading[] {
  const first = new Map<string, Document>();
  return documents.map((origin) => {
    const { objects, moves, issues } = upgrade(origin);
    const findings = new Findings(origin, moves);
    const repeated = objects.find((object) => first.has(keyOf(object)));
    for (const object of repeated === undefined ? objects : []) first.set(keyOf(object), origin);
    const earlier = repeated && first.get(keyOf(repeated));
    if (repeated === undefined || earlier === undefined) return { origin, objects, issues, findings };
    const text = `repeats ${keyOf(repeated)}, which is already defined in ${placeOf(earlier)}; only that one is used`;
    findings.error({ code: 'duplicate', path: ['metadata', 'name'], text });
    return { origin, objects: [], issues, findings };
  });
}

function keyOf(object: CurrentObject): string {
  return `${object.kind}/${object.metadata.name}`;
}

function placeOf(document: Document): string {
  const place = document.locate(['metadata', 'name']);
  return place === undefined
    ? document.source
    : `${document.source}:${String(place.line)}:${String(place.column)}`;
}

/** Kubelet settings of older pools go into the classes that they name; a class made for a pool goes with the pool. */
function withMergedKubelets(reads: readonly Upgrading[]): readonly Upgrading[] {
  const own = reads.flatMap((read) => read.objects.map((object) => ({ read, object })));
  const merged = mergeKubelets(own.map(({ object }) => object));
  const made = new Map(merged.slice(own.length).map((object) => [object.metadata.name, object]));
  const objectsOf = new Map<Upgrading, CurrentObject[]>(reads.map((read) => [read, []]));
  for (const [index, { read, object }] of own.entries()) {
    const now = merged[index] ?? object;
    const nodeClass =
      now.kind === 'NodePool' ? made.get(now.spec.template.spec.nodeClassRef.name) : undefined;
    objectsOf.get(read)?.push(now, ...(nodeClass === undefined ? [] : [nodeClass]));
  }
  return reads.map((read) => ({ ...read, objects: objectsOf.get(read) ?? [] }));
}

function warn(object: CurrentObject, findings: Findings): void {
  const decoded = decodeCurrent(object);
  warnOfPolicy(decoded, findings);
  if (decoded.kind !== 'NodePool' || decoded.kubelet === undefined) return;
  const path = ['spec', 'template', 'spec', 'nodeClassRef', 'name'];
  const text = `names a node class that is not in this ConfigMap, so the kubelet settings of this older pool reach no node`;
  findings.warning({ code: 'missing-reference', path, text });
}
