/** A patch of any kind, as a change of an object. */
import { badRequest, unsupportedMediaType } from '../objects/api-error.js';
import { isObject, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { applyJsonPatch } from '../patching/json-patch.js';
import { CUSTOM_KIND } from '../patching/merge-keys.js';
import { applyMergePatch } from '../patching/merge-patch.js';
import { applyStrategicMergePatch } from '../patching/strategic-merge-patch.js';
import type { ResourceType } from '../resources/resource-type.js';

export const MEDIA_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export type PatchType = keyof typeof MEDIA_TYPES;

export interface Patch {
  readonly type: PatchType;
  readonly body: unknown;
}

/** As merging by key knows it. */
export function mergeKindOf(type: ResourceType): string {
  return type.isCustom ? CUSTOM_KIND : type.kind;
}

/** @throws ApiError 400, 415, 422 */
export function patched(
  type: ResourceType,
  object: KubeObject,
  { type: patchType, body }: Patch,
): KubeObject {
  if (patchType === 'strategic' && type.isCustom)
    throw unsupportedMediaType([MEDIA_TYPES.json, MEDIA_TYPES.merge, 'application/apply-patch+yaml']);
  const changed = PATCHES[patchType](type.kind, object, body);
  if (!isObject(changed)) throw badRequest('the patch leaves no object');
  return changed as KubeObject;
}

const PATCHES: Readonly<Record<PatchType, (kind: string, object: JsonObject, body: unknown) => unknown>> = {
  json: (_, object, body) => applyJsonPatch(object, body),
  merge: (_, object, body) => {
    if (!isObject(body)) throw badRequest('a merge patch must be an object');
    return applyMergePatch(object, body);
  },
  strategic: applyStrategicMergePatch,
};
