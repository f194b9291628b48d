/** What is wrong with a policy ConfigMap, by itself and beside the other policies of the cluster. */
import { documentOf } from '../../apis/berth/plain-document.js';
import { decodePolicyConfigMap } from '../../apis/berth/policy-config-map.js';
import { upgrade } from '../../apis/conversion/upgrade.js';
import { nearest } from '../../apis/decode/nearest.js';
import { plainObject, valueAt, type Plain } from '../../apis/decode/plain.js';
import type { Document } from '../../apis/documents/document.js';
import type { Issue } from '../../apis/issue.js';
import { policyDocuments } from '../../apis/policies/policy-documents.js';
import { readPolicies } from '../../apis/policies/read-policies.js';
import {
  policyStatusName,
  type PolicyConfigMap,
  type PolicyDocument,
  type PolicyStatus,
} from '../../domain/policy.js';
import { acceptedPolicies, type AcceptedPolicies } from '../../state/accepted-policies.js';
import type { PolicyVerdict, RefusedPolicy } from '../../state/policy-verdict.js';

/** The other policies; those of the cluster but for the ConfigMap at hand. */
export interface Surroundings {
  readonly configMaps: readonly PolicyConfigMap[];
  readonly statuses: readonly PolicyStatus[];
}

export interface PolicyReview {
  /** As `berth validate` finds them, with what the surroundings add. */
  readonly issues: readonly Issue[];
  /** What would hold once the ConfigMap is stored; undefined while the surroundings are not known. */
  readonly after: AcceptedPolicies | undefined;
}

/** Reviews a ConfigMap as it is about to be stored. Of two with one kind and name, the one accepted before stays. */
export function reviewPolicies(configMap: Plain, surroundings: Surroundings | undefined): PolicyReview {
  const named = withName(configMap);
  const document = documentOf(named);
  if (document === undefined) return { issues: [], after: undefined };
  const { issues } = readPolicies([document]);
  if (surroundings === undefined)
    return { issues: issues.filter(({ code }) => code !== 'missing-reference'), after: undefined };
  const { configMaps, statuses } = surroundings;
  const candidate = candidateOf(named);
  const all = candidate === undefined ? configMaps : [...configMaps, candidate];
  const after = acceptedPolicies(all, statuses);
  const isReference = ({ code }: Issue): boolean => code === 'missing-reference';
  const refused = after.verdicts.flatMap((verdict) => refusedIn(document.name, verdict));
  if (refused.length === 0 && !issues.some(isReference)) return { issues, after };
  const { documents } = policyDocuments([document]);
  const references = new References(after, documents);
  const duplicates = refused.map((item) => duplicate(item, documents));
  const judged = issues.flatMap((issue) => (isReference(issue) ? references.judged(issue) : [issue]));
  return { issues: [...duplicates, ...judged], after };
}

/** The name is needed to say where a document stands; one that the API server will make up begins like this. */
function withName(configMap: Plain): Plain {
  const metadata = plainObject(configMap['metadata']) ?? {};
  const { name = metadata['generateName'] } = metadata;
  return { ...configMap, apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name } };
}

/** As the feed will see it. What is not stored yet is newer than everything else. */
function candidateOf(configMap: Plain): PolicyConfigMap | undefined {
  const decoded = decodePolicyConfigMap(configMap).value;
  if (decoded === undefined) return undefined;
  const createdAt = decoded.createdAt === 0 ? Infinity : decoded.createdAt;
  return { ...decoded, createdAt, documents: withoutRepeats(decoded.documents) };
}

/** Names that the ConfigMap has twice are told of when it is read. */
function withoutRepeats(documents: readonly PolicyDocument[]): readonly PolicyDocument[] {
  const first = new Map<string, PolicyDocument>();
  for (const document of documents) {
    const name = policyStatusName(document.kind, document.name);
    if (!first.has(name)) first.set(name, document);
  }
  return [...first.values()];
}

interface Refused extends RefusedPolicy {
  readonly kind: string;
  readonly policy: string;
}

function refusedIn(configMap: string, { kind, policy, refused }: PolicyVerdict): readonly Refused[] {
  const own = refused.filter(({ source }) => source.configMap === configMap);
  return own.map((item) => ({ ...item, kind, policy }));
}

function duplicate({ kind, policy, source, message }: Refused, documents: readonly Document[]): Issue {
  const place = `configmap/${source.configMap}[${source.key}]`;
  const document = documents.find((item) => item.source === place && gives(item, kind, policy));
  const path = ['metadata', 'name'];
  const position = document?.locate(path);
  return {
    ...{ severity: 'error', code: 'duplicate', source: place, path, message },
    ...{ document: document?.title ?? `${kind}/${policy}`, line: position?.line, column: position?.column },
  };
}

/** Whether the document, of whatever version, becomes a policy of this kind and name. */
function gives(document: Document, kind: string, name: string): boolean {
  return upgrade(document).objects.some((object) => object.kind === kind && object.metadata.name === name);
}

/** Looks node classes up that are not in the ConfigMap itself. */
class References {
  readonly #names: readonly string[];
  readonly #documents: readonly Document[];

  constructor({ nodeClasses }: AcceptedPolicies, documents: readonly Document[]) {
    this.#names = nodeClasses.map(({ nodeClass }) => nodeClass.name).sort();
    this.#documents = documents;
  }

  /** Nothing when the issue is about a class that is in the cluster; else with the names that are. */
  judged(issue: Issue): readonly Issue[] {
    const document = this.#documents.find((item) => {
      return item.source === issue.source && item.title === issue.document;
    });
    const name = valueAt(plainObject(document?.value), issue.path.map(String));
    if (typeof name !== 'string') return [issue];
    if (this.#names.includes(name)) return [];
    const guess = nearest(name, this.#names);
    const known = this.#names.length === 0 ? {} : { allowed: this.#names };
    return [{ ...issue, ...known, ...(guess !== undefined && { guess }) }];
  }
}
