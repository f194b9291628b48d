/** metadata of Kubernetes objects: name, namespace, owner, and what else decides how a pod is treated. */
import type { PodOwner } from '../../../domain/pods/pod.js';
import { elements, flag, hasObject, member, optionalText, requiredText, type Field } from './field.js';

export const DEFAULT_NAMESPACE = 'default';

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** Name and namespace; undefined, and reported, when there is no name. */
export function readObjectName(root: Field): ObjectName | undefined {
  if (!hasObject(root)) return undefined;
  const metadata = member(root, 'metadata');
  hasObject(metadata);
  const name = requiredText(member(metadata, 'name'));
  if (name === '') return undefined;
  return { name, namespace: readNamespace(metadata) };
}

function readNamespace(metadata: Field): string {
  const namespace = optionalText(member(metadata, 'namespace'));
  return namespace === undefined || namespace === '' ? DEFAULT_NAMESPACE : namespace;
}

/** Kinds whose controllers own what they make, also where a manifest leaves out `controller: true`. */
const CONTROLLERS: ReadonlySet<string> = new Set([
  'DaemonSet',
  'Deployment',
  'Job',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);

/** The owner that is marked as controller, else the first workload among the owners. */
export function readOwner(metadata: Field): PodOwner | undefined {
  let workload: PodOwner | undefined;
  for (const reference of elements(member(metadata, 'ownerReferences'))) {
    const owner = {
      kind: optionalText(member(reference, 'kind')) ?? '',
      name: optionalText(member(reference, 'name')) ?? '',
    };
    if (flag(member(reference, 'controller'))) return owner;
    if (workload === undefined && CONTROLLERS.has(owner.kind)) workload = owner;
  }
  return workload;
}
