/** What is wrong with a policy ConfigMap, by itself and beside the other policies of the cluster. */
import type {
  PolicyConfigMapRead,
  PolicyPlace,
  ReviewIssue,
} from '../../apis/berth/read-policy-config-map.js';
import { nearest } from '../../apis/decode/nearest.js';
import { plainObject, type Plain } from '../../apis/decode/plain.js';
import type { Issue } from '../../apis/issue.js';
import {
  policyStatusName,
  type PolicyConfigMap,
  type PolicyDocument,
  type PolicyStatus,
} from '../../domain/policies/policy.js';
import { acceptedPolicies, type AcceptedPolicies } from '../../state/policies/accepted-policies.js';
import type { PolicyVerdict, RefusedPolicy } from '../../state/policies/policy-verdict.js';

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

/** Judges a ConfigMap that is about to be stored. Of two with one kind and name, the one accepted before stays. */
export function reviewPolicies(
  read: PolicyConfigMapRead,
  surroundings: Surroundings | undefined,
): PolicyReview {
  const { issues, places } = read;
  if (surroundings === undefined)
    return { issues: issues.filter(({ code }) => code !== 'missing-reference'), after: undefined };
  const { configMaps, statuses } = surroundings;
  const candidate = candidateOf(read);
  const all = candidate === undefined ? configMaps : [...configMaps, candidate];
  const after = acceptedPolicies(all, statuses);
  const refused = after.verdicts.flatMap((verdict) => refusedIn(candidate?.name ?? '', verdict));
  const duplicates = refused.map((item) => duplicate(item, places));
  const names = after.nodeClasses.map(({ name }) => name).sort();
  return { issues: [...duplicates, ...issues.flatMap((issue) => judged(issue, names))], after };
}

/** The name is needed to say where a document stands; one that the API server will make up begins like this. */
export function withName(configMap: Plain): Plain {
  const metadata = plainObject(configMap['metadata']) ?? {};
  const { name = metadata['generateName'] } = metadata;
  return { ...configMap, apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name } };
}

/** As the feed will see it. What is not stored yet is newer than everything else. */
function candidateOf({ decoded: { value: decoded } }: PolicyConfigMapRead): PolicyConfigMap | undefined {
  if (decoded === undefined) return undefined;
  const createdAt = decoded.createdAt === 0 ? Infinity : decoded.createdAt;
  return { ...decoded, createdAt, documents: withoutRepeats(decoded.documents) };
}

/** Names that the ConfigMap has twice are reported when it is read. */
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

function duplicate({ kind, policy, source, message }: Refused, places: readonly PolicyPlace[]): Issue {
  const text = `configmap/${source.configMap}[${source.key}]`;
  const place = places.find((item) => item.source === text && item.kind === kind && item.name === policy);
  return {
    ...{ severity: 'error', code: 'duplicate', source: text, path: ['metadata', 'name'], message },
    ...{ document: place?.document ?? `${kind}/${policy}`, line: place?.line, column: place?.column },
  };
}

/** Nothing when the issue is about a node class that is in the cluster; else with the names that are. */
function judged({ refersTo, ...issue }: ReviewIssue, names: readonly string[]): readonly Issue[] {
  if (refersTo === undefined) return [issue];
  if (names.includes(refersTo)) return [];
  const guess = nearest(refersTo, names);
  const known = names.length === 0 ? {} : { allowed: names };
  return [{ ...issue, ...known, ...(guess !== undefined && { guess }) }];
}
