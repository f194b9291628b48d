/** A policy ConfigMap read whole, as plain data: by the thread that reads them, or where no other request waits for this thread. */
import type { PolicyConfigMap, PolicyKind } from '../../domain/policies/policy.js';
import { upgrade } from '../conversion/upgrade.js';
import { plainObject, valueAt } from '../decode/plain.js';
import type { Document } from '../documents/document.js';
import type { Issue } from '../issue.js';
import type { Decoded } from '../kubernetes/object/finding.js';
import { policyDocuments } from '../policies/policy-documents.js';
import { readFoundPolicies } from '../policies/read-policies.js';
import { documentOf } from './plain-document.js';
import { decodePolicyConfigMap } from './policy-config-map.js';

/** Where a policy stands: that of its name in the text. */
export interface PolicyPlace {
  readonly kind: PolicyKind;
  readonly name: string;
  /** `configmap/pools[general.yaml]`. */
  readonly source: string;
  /** Title of its document. */
  readonly document: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

export interface ReviewIssue extends Issue {
  /** Of a missing reference: the name that is not there. */
  readonly refersTo?: string | undefined;
}

/** Everything in it survives a structured clone. */
export interface PolicyConfigMapRead {
  /** As the feed tells the cluster of it. */
  readonly decoded: Decoded<PolicyConfigMap>;
  /** As `berth validate` finds them. */
  readonly issues: readonly ReviewIssue[];
  readonly places: readonly PolicyPlace[];
}

/** Reads the object of a ConfigMap with apiVersion, kind and name. */
export type ReadPolicyConfigMap = (object: unknown) => Promise<PolicyConfigMapRead>;

/** Never throws. Its work is bounded by POLICY_BOUNDS. */
export function readPolicyConfigMap(object: unknown): PolicyConfigMapRead {
  const decoded = decodePolicyConfigMap(object);
  const whole = plainObject(object);
  const configMap = whole && documentOf(whole);
  if (configMap === undefined) return { decoded, issues: [], places: [] };
  const found = policyDocuments([configMap]);
  const { issues } = readFoundPolicies(found);
  return {
    decoded,
    issues: issues.map((issue) => withReference(issue, found.documents)),
    places: found.documents.flatMap(placesOf),
  };
}

function withReference(issue: Issue, documents: readonly Document[]): ReviewIssue {
  if (issue.code !== 'missing-reference') return issue;
  const { source, document: title } = issue;
  const document = documents.find((item) => item.source === source && item.title === title);
  const name = valueAt(plainObject(document?.value), issue.path.map(String));
  return typeof name === 'string' ? { ...issue, refersTo: name } : issue;
}

/** The policies that a document, of whatever version, becomes. */
function placesOf(document: Document): readonly PolicyPlace[] {
  const { source, title } = document;
  const position = document.locate(['metadata', 'name']);
  return upgrade(document).objects.map(({ kind, metadata }) => ({
    ...{ kind, name: metadata.name, source, document: title },
    ...{ line: position?.line, column: position?.column },
  }));
}
