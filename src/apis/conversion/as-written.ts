/** A custom resource of a cluster as its author wrote it: without a status and what controllers and kubectl add. */
import type { JsonObject } from '../../domain/policies/policy.js';
import { plainObject } from '../decode/plain.js';

/** What kubectl and Karpenter write into annotations themselves. */
const NOISE = /^(?:kubectl\.kubernetes\.io\/last-applied-configuration|.*karpenter.*-hash(?:-version)?)$/;

/** Items of a list do not have apiVersion and kind themselves. */
export function asWritten(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  object: JsonObject,
): JsonObject {
  const { name, labels, annotations } = plainObject(object['metadata']) ?? {};
  const own = Object.entries(plainObject(annotations) ?? {}).filter(([key]) => !NOISE.test(key));
  const metadata = {
    name,
    ...(labels !== undefined && { labels }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
  };
  return { apiVersion, kind, metadata, spec: object['spec'] };
}
