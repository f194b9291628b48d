/** Policies that stand in one ConfigMap, read together: converted to v1, repeated names refused, warned of. */
import { decodeCurrent } from '../conversion/decode-policy.js';
import { mergeKubelets } from '../conversion/merge-kubelets.js';
import { upgrade } from '../conversion/upgrade.js';
import type { CurrentObject } from '../conversion/policy-kinds.js';
import { Findings } from '../decode/findings.js';
import type { Document } from '../documents/document.js';
import type { Issue } from '../issue.js';
import { warnOfPolicy } from '../policies/warn-of-policy.js';

/** What became of one document. */
export interface PolicyRead {
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
export function readPolicySet(documents: readonly Document[]): readonly PolicyRead[] {
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
