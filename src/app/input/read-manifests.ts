/** From texts to what a cluster is made of: policies, objects, and everything wrong with either. */
import '../clouds.js';
import type { Document, ReadResult, SourceText } from '../../apis/documents/document.js';
import { readDocuments } from '../../apis/documents/read-documents.js';
import { isPolicy } from '../../apis/conversion/upgrade.js';
import type { Issue } from '../../apis/issue.js';
import { isClusterObject } from '../../apis/kubernetes/object/object-index.js';
import { misnamedKind } from '../../apis/kubernetes/object/misnamed-kind.js';
import { readCluster, type ClusterObjects } from '../../apis/kubernetes/cluster/read-cluster.js';
import { readPolicies, type Policies } from '../../apis/policies/read-policies.js';

export interface Manifests {
  readonly policies: Policies;
  readonly cluster: ClusterObjects;
  /** In the order of the texts, and within each by line. */
  readonly issues: readonly Issue[];
  /** Sources that hold nothing at all. */
  readonly empty: readonly string[];
  /** Kinds that were not read, with their number. */
  readonly leftAside: ReadonlyMap<string, number>;
}

/** Reads all documents of all texts. Never throws: one bad document hides no other. */
export function readManifests(texts: readonly SourceText[]): Manifests {
  const read = texts.map((source) => readDocuments(source));
  const documents = read.flatMap((result) => result.documents);
  const policies = readPolicies(documents);
  const { cluster, issues } = readCluster(documents);
  const all = [...read.flatMap((result) => result.issues), ...policies.issues, ...issues];
  return {
    policies,
    cluster,
    issues: inOrder(all, texts),
    empty: texts.filter((_, index) => isEmpty(read[index])).map(({ source }) => source),
    leftAside: kindsLeftAside(documents),
  };
}

function isEmpty(result: ReadResult | undefined): boolean {
  return result?.documents.length === 0 && result.issues.length === 0;
}

/** Issues whose lines count within a quoted value come last, by value. */
function inOrder(issues: readonly Issue[], texts: readonly SourceText[]): readonly Issue[] {
  const ranks = new Map(texts.map(({ source }, index) => [source, index]));
  for (const { source } of issues) if (!ranks.has(source)) ranks.set(source, ranks.size);
  const rankOf = ({ source }: Issue): number => ranks.get(source) ?? ranks.size;
  return [...issues].sort(
    (left, right) =>
      rankOf(left) - rankOf(right) ||
      (left.line ?? 0) - (right.line ?? 0) ||
      (left.column ?? 0) - (right.column ?? 0),
  );
}

function kindsLeftAside(documents: readonly Document[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const document of documents) {
    if (isPolicy(document) || isClusterObject(document) || document.kind === 'ConfigMap') continue;
    if (misnamedKind(document) !== undefined) continue;
    counts.set(document.kind, (counts.get(document.kind) ?? 0) + 1);
  }
  return new Map([...counts].sort(([left], [right]) => (left < right ? -1 : 1)));
}
