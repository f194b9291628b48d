/** Documents by kind, each object once; and findings brought back to their place in the text. */
import { append } from '../../../domain/values/lists.js';
import type { Document } from '../../documents/document.js';
import type { Issue } from '../../issue.js';
import { isPolicy } from '../../conversion/upgrade.js';
import { Findings } from '../../decode/findings.js';
import type { ObjectFinding } from './finding.js';
import { misnamedKind } from './misnamed-kind.js';
import { DEFAULT_NAMESPACE } from './metadata.js';

/** `group/Kind` of what Berth reads besides policies; the core group's name is empty. */
const CLUSTER_SCOPED = [
  '/Namespace',
  '/Node',
  '/PersistentVolume',
  'resource.k8s.io/DeviceClass',
  'resource.k8s.io/ResourceSlice',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/StorageClass',
] as const;
const NAMESPACED = [
  '/PersistentVolumeClaim',
  '/Pod',
  '/ReplicationController',
  'apps/DaemonSet',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'batch/Job',
  'jobset.x-k8s.io/JobSet',
  'policy/PodDisruptionBudget',
  'resource.k8s.io/ResourceClaim',
  'resource.k8s.io/ResourceClaimTemplate',
  'scheduling.k8s.io/PodGroup',
  'scheduling.sigs.k8s.io/PodGroup',
  'scheduling.x-k8s.io/PodGroup',
] as const;

export type ObjectKind = (typeof CLUSTER_SCOPED)[number] | (typeof NAMESPACED)[number];

const IS_NAMESPACED: ReadonlyMap<string, boolean> = new Map([
  ...CLUSTER_SCOPED.map((kind): [string, boolean] => [kind, false]),
  ...NAMESPACED.map((kind): [string, boolean] => [kind, true]),
]);

/** Whether a document of this type is one of those that `readCluster` reads; the version does not matter. */
export function isClusterObject(document: Pick<Document, 'apiVersion' | 'kind'>): boolean {
  return IS_NAMESPACED.has(kindOf(document));
}

function kindOf(document: Pick<Document, 'apiVersion' | 'kind'>): string {
  const slash = document.apiVersion.indexOf('/');
  return `${slash < 0 ? '' : document.apiVersion.slice(0, slash)}/${document.kind}`;
}

export class ObjectIndex {
  readonly #findings = new Map<Document, Findings>();
  readonly #documents = new Map<string, Document[]>();
  readonly #all: readonly Document[];

  /** Takes every document; one that names an object again is refused with both places, a misnamed kind with the right one. */
  constructor(documents: readonly Document[]) {
    this.#all = documents;
    const first = new Map<string, Document>();
    for (const document of documents) {
      const kind = kindOf(document);
      const namespaced = IS_NAMESPACED.get(kind);
      if (namespaced === undefined) {
        const slip = misnamedKind(document);
        if (slip !== undefined && !isPolicy(document)) this.report(document, [slip]);
        continue;
      }
      const name = namespaced ? `${namespaceOf(document)}/${document.name}` : document.name;
      const other = document.name === '' ? undefined : first.get(`${kind} ${name}`);
      if (other !== undefined) {
        this.report(document, [duplicate(document, name, other)]);
        continue;
      }
      first.set(`${kind} ${name}`, document);
      append(this.#documents, kind, document);
    }
  }

  of(kind: ObjectKind): readonly Document[] {
    return this.#documents.get(kind) ?? [];
  }

  /** Places findings in the document's text. */
  report(document: Document, findings: readonly ObjectFinding[]): void {
    if (findings.length === 0) return;
    const placed = this.#findings.get(document) ?? new Findings(document);
    this.#findings.set(document, placed);
    for (const { severity, ...finding } of findings) placed[severity](finding);
  }

  /** In the order of the documents. */
  get issues(): readonly Issue[] {
    return this.#all.flatMap((document) => this.#findings.get(document)?.issues ?? []);
  }
}

function namespaceOf(document: Document): string {
  const metadata = document.value['metadata'];
  const namespace =
    typeof metadata === 'object' && metadata !== null
      ? (metadata as Record<string, unknown>)['namespace']
      : undefined;
  return typeof namespace === 'string' && namespace !== '' ? namespace : DEFAULT_NAMESPACE;
}

function duplicate(document: Document, name: string, other: Document): ObjectFinding {
  const path = ['metadata', 'name'];
  const place = other.locate(path);
  const where =
    place === undefined ? other.source : `${other.source}:${String(place.line)}:${String(place.column)}`;
  const text = `gives ${document.kind} ${name} a second time: the first is in ${where}`;
  return { severity: 'error', code: 'duplicate-object', path, text };
}
