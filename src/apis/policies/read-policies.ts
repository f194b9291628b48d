/** All policies of a set of documents, as values of the domain. */
import type { NodeClass } from '../../domain/policies/node-class.js';
import type { NodeOverlay } from '../../domain/policies/node-overlay.js';
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import { decodeCurrent, type DecodedNodePool } from '../conversion/decode-policy.js';
import { mergeKubelets } from '../conversion/merge-kubelets.js';
import type { CurrentObject } from '../conversion/policy-kinds.js';
import { upgrade, type Upgraded } from '../conversion/upgrade.js';
import { Findings } from '../decode/findings.js';
import { nearest } from '../decode/nearest.js';
import type { Document } from '../documents/document.js';
import type { Issue } from '../issue.js';
import { policyDocuments, type PolicyDocuments } from './policy-documents.js';
import { warnOfPolicy } from './warn-of-policy.js';

export interface Policies {
  readonly nodePools: readonly DecodedNodePool[];
  readonly nodeClasses: readonly NodeClass[];
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly podDefaults: readonly PodDefaults[];
  /** `Kind/name` of policies that were read from a cluster while they were being deleted (metadata.deletionTimestamp). */
  readonly beingDeleted: ReadonlySet<string>;
  /** Errors and warnings of all documents, in their order. A document with an error gives no value. */
  readonly issues: readonly Issue[];
}

interface Read extends Upgraded {
  readonly origin: Document;
  readonly findings: Findings;
}

/**
 * Reads every policy among the documents, bare or in ConfigMaps labelled `berth.sh/policy: "true"`; other documents are
 * left alone. Of two with one kind and name the first stays and the second is refused.
 */
export function readPolicies(documents: readonly Document[]): Policies {
  return readFoundPolicies(policyDocuments(documents));
}

/** Reads policies that were found among documents. */
export function readFoundPolicies(found: PolicyDocuments): Policies {
  const upgraded = found.documents.map((origin) => {
    const result = upgrade(origin);
    return { ...result, origin, findings: new Findings(origin, result.moves) };
  });
  const kept = withoutDuplicates(upgraded);
  const objects = mergeKubelets(kept.flatMap((item) => item.objects));
  const decoded = objects.map(decodeCurrent);
  const nodePools = decoded.filter((item) => item.kind === 'NodePool');
  const nodeClasses = decoded.flatMap((item) => ('nodeClass' in item ? [item.nodeClass] : []));
  warnOfReferences(kept, nodeClasses);
  for (const { objects: own, findings } of kept) {
    for (const object of own) warnOfPolicy(decodeCurrent(object), findings);
  }
  return {
    nodePools,
    nodeClasses,
    nodeOverlays: decoded.flatMap((item) => (item.kind === 'NodeOverlay' ? [item.nodeOverlay] : [])),
    podDefaults: decoded.flatMap((item) => (item.kind === 'PodDefaults' ? [item.podDefaults] : [])),
    beingDeleted: new Set(kept.filter(isBeingDeleted).flatMap(({ objects: own }) => own.map(nameOf))),
    issues: [...found.issues, ...upgraded.flatMap((item) => [...item.issues, ...item.findings.issues])],
  };
}

function isBeingDeleted({ origin }: Read): boolean {
  const { metadata } = origin.value as { readonly metadata?: { readonly deletionTimestamp?: unknown } };
  return (metadata?.deletionTimestamp ?? undefined) !== undefined;
}

/** `Kind/name`. */
function nameOf({ kind, metadata }: CurrentObject): string {
  return `${kind}/${metadata.name}`;
}

/** Refuses what repeats a kind and name; both places are named. */
function withoutDuplicates(upgraded: readonly Read[]): readonly Read[] {
  const first = new Map<string, Document>();
  return upgraded.map((item) => {
    const objects = item.objects.filter((object) => {
      const name = nameOf(object);
      const earlier = first.get(name);
      if (earlier === undefined) {
        first.set(name, item.origin);
        return true;
      }
      const text = `repeats ${name}, which is already defined in ${placeOf(earlier)}; only that one is used`;
      item.findings.error({ code: 'duplicate', path: ['metadata', 'name'], text });
      return false;
    });
    return { ...item, objects };
  });
}

function placeOf(document: Document): string {
  const place = document.locate(['metadata', 'name']) ?? document.locate([]);
  return place === undefined
    ? document.source
    : `${document.source}:${String(place.line)}:${String(place.column)}`;
}

/** A node class may come later, so a missing one is no error. Those that were refused are not missing. */
function warnOfReferences(reads: readonly Read[], nodeClasses: readonly NodeClass[]): void {
  const refused = new Set(reads.filter((item) => item.objects.length === 0).map((item) => item.origin.name));
  for (const { objects, findings } of reads) {
    for (const object of objects) {
      if (object.kind !== 'NodePool') continue;
      const { kind, name } = object.spec.template.spec.nodeClassRef;
      const names = new Set(nodeClasses.flatMap((each) => (each.kind === kind ? [each.name] : [])));
      if (names.has(name) || refused.has(name)) continue;
      const path = ['spec', 'template', 'spec', 'nodeClassRef', 'name'];
      const known = names.size === 0 ? {} : { allowed: [...names].sort() };
      const text = `names ${kind} ${name}, which is not among the documents`;
      findings.warning({
        code: 'missing-reference',
        path,
        text,
        guess: nearest(name, [...names].sort()),
        ...known,
      });
    }
  }
}
