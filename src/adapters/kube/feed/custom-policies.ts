/** Policies that are custom resources of another system, read as though each stood in a policy ConfigMap of its own. */
import { plainObject } from '../../../apis/decode/plain.js';
import type { JsonObject } from '../../../domain/policies/policy.js';

/** Where the objects of a kind are, and what one of them says as a document that Berth reads. */
export interface CustomPolicyKind {
  readonly apiVersion: string;
  readonly plural: string;
  readonly read: (object: JsonObject) => JsonObject;
}

/** `nodepools.karpenter.sh`, as CustomResourceDefinitions are named. */
export function collectionOf({ apiVersion, plural }: CustomPolicyKind): string {
  return `${plural}.${apiVersion.slice(0, apiVersion.indexOf('/'))}`;
}

/** The ConfigMap of an object. Its name has a slash, so that no other ConfigMap has it; the key is the object's name. */
export function asPolicyConfigMap(kind: CustomPolicyKind, object: unknown): JsonObject {
  const read = plainObject(object) ?? {};
  const { name, uid, resourceVersion, creationTimestamp } = plainObject(read['metadata']) ?? {};
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${collectionOf(kind)}/${String(name)}`,
      ...{ uid, resourceVersion, creationTimestamp },
    },
    data: { [String(name)]: JSON.stringify(kind.read(read)) },
  };
}
