/** What `berth doctor --offline` looks at: the objects of manifests. */
import { valueAt } from '../../../apis/decode/plain.js';
import type { Document, SourceText } from '../../../apis/documents/document.js';
import { readDocuments } from '../../../apis/documents/read-documents.js';
import { readPolicies } from '../../../apis/policies/read-policies.js';
import type { SchedulerConfiguration, Subject } from '../doctor-check.js';
import { RESOURCES, type Resource } from './resources.js';

export interface ManifestSubjectOptions {
  readonly texts: readonly SourceText[];
  readonly namespace: string;
  readonly schedulerConfigurations: readonly SchedulerConfiguration[];
}

export function manifestSubject({
  texts,
  namespace,
  schedulerConfigurations,
}: ManifestSubjectOptions): Subject {
  const documents = texts.flatMap((text) => readDocuments(text).documents);
  const policies = readPolicies(documents);
  const all = (resource: Resource, within: string | undefined) =>
    documents.filter((document) => isOf(document, resource, within)).map(({ value }) => value);
  return {
    namespace,
    schedulerConfigurations,
    live: undefined,
    policies: () => Promise.resolve(policies),
    cloud: () => Promise.resolve(undefined),
    objects: {
      list: (resource, within) => Promise.resolve(all(resource, within)),
      find: (resource, name, within) =>
        Promise.resolve(all(resource, within).find((value) => valueAt(value, ['metadata', 'name']) === name)),
    },
  };
}

function isOf({ apiVersion, kind, value }: Document, resource: Resource, namespace?: string): boolean {
  const [groupVersion, wanted] = RESOURCES[resource];
  if (apiVersion !== groupVersion || kind !== wanted) return false;
  return namespace === undefined || valueAt(value, ['metadata', 'namespace']) === namespace;
}
