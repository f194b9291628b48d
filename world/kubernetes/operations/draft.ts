/** The metadata of objects: what the API server sets itself, and what no client may change. */
import type { Clock } from '../../../src/ports/clock.js';
import type { Random } from '../../../src/ports/random.js';
import { badRequest, conflict, MODIFIED } from '../objects/api-error.js';
import { invalid, invalidObject } from '../objects/field-error.js';
import { compact, equalJson, isObject, listAt, textAt, valueAt } from '../objects/json.js';
import { formatTime, type KubeObject, type NewObject, type ObjectMeta } from '../objects/kube-object.js';
import { groupVersion, kindOf, subjectOf, type ResourceType } from '../resources/resource-type.js';
import { generatedName, newUid } from './names.js';

export interface Sources {
  readonly clock: Clock;
  readonly random: Random;
}

/** A new object with metadata as at its creation. @throws ApiError 400 */
export function draftNew(type: ResourceType, object: NewObject, { clock, random }: Sources): KubeObject {
  const given: Partial<ObjectMeta> = isObject(object.metadata) ? object.metadata : {};
  if ((given.resourceVersion ?? '') !== '')
    throw badRequest('resourceVersion should not be set on objects to be created');
  const { name = '', generateName = '' } = given;
  const metadata = {
    ...textMaps(given),
    name: name === '' && generateName !== '' ? generatedName(generateName, random) : name,
    namespace: type.namespaced ? given.namespace : undefined,
    uid: newUid(random),
    resourceVersion: undefined,
    generation: type.hasGeneration ? 1 : undefined,
    creationTimestamp: formatTime(clock.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  };
  return {
    apiVersion: groupVersion(type.served[0]),
    ...compact(keepsStatus(type) ? object : compact(object, 'status'), 'apiVersion', 'kind'),
    kind: type.kind,
    metadata: compact(metadata) as unknown as ObjectMeta,
  };
}

/** A kubelet registers its node with the status; elsewhere it is written apart. */
function keepsStatus(type: ResourceType): boolean {
  return !type.hasStatus || type.kind === 'Node';
}

/** Empty maps and lists are left out, as Go's omitempty does. */
function textMaps(meta: Partial<ObjectMeta>): Partial<ObjectMeta> {
  const isEmpty = (value: unknown): boolean =>
    value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => !isEmpty(value)));
}

/** The parts of an object that can be written apart; a binding changes a pod's specification and status at once, a resize what its containers request. */
export type Part = 'main' | 'status' | 'binding' | 'resize';

/**
 * The current object after an update: what the client may change is as the client wants it, the rest stays.
 * @throws ApiError 409 for an old version or another object of the name, 422
 */
export function draftChange(
  type: ResourceType,
  current: KubeObject,
  wanted: KubeObject,
  part: Part,
): KubeObject {
  if (!isObject(wanted.metadata)) throw badRequest('metadata must be an object');
  checkIdentity(type, current, wanted);
  const metadata = changedMeta(type, current, wanted, part);
  const status = current['status'];
  const kept = { apiVersion: current.apiVersion, kind: type.kind, metadata };
  if (part === 'status')
    return { ...current, ...(wanted['status'] !== undefined && { status: wanted['status'] }), ...kept };
  if (part === 'resize') return { ...current, spec: resized(current['spec'], wanted['spec']), ...kept };
  if (part === 'binding' || !type.hasStatus) return { ...wanted, ...kept };
  return { ...compact(wanted, 'status'), ...(status !== undefined && { status }), ...kept };
}

/** The specification with what the containers of the other one request and are limited to. */
function resized(spec: unknown, wanted: unknown): unknown {
  const asked = new Map(
    listAt(wanted, 'containers').map((each) => [textAt(each, 'name'), valueAt(each, 'resources')]),
  );
  const containers = listAt(spec, 'containers').map((each) => {
    const resources = asked.get(textAt(each, 'name'));
    return isObject(each) && resources !== undefined ? { ...each, resources } : each;
  });
  return isObject(spec) ? { ...spec, containers } : spec;
}

/** metadata.generation counts what changes beside metadata and status. */
export function counted(type: ResourceType, current: KubeObject, changed: KubeObject): KubeObject {
  if (!type.hasGeneration) return changed;
  const isSame = equalJson(compact(current, 'metadata', 'status'), compact(changed, 'metadata', 'status'));
  const generation = (current.metadata.generation ?? 1) + (isSame ? 0 : 1);
  return { ...changed, metadata: { ...changed.metadata, generation } };
}

function checkIdentity(type: ResourceType, current: KubeObject, wanted: KubeObject): void {
  const { name } = current.metadata;
  const asked = textAt(wanted, 'metadata', 'name');
  if (asked !== '' && asked !== name)
    throw badRequest(`the name of the object (${asked}) does not match the name on the URL (${name})`);
  const uid = textAt(wanted, 'metadata', 'uid');
  if (uid !== '' && uid !== current.metadata.uid)
    throw conflict(
      subjectOf(type),
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`,
    );
  const version = textAt(wanted, 'metadata', 'resourceVersion');
  if (version !== '' && version !== current.metadata.resourceVersion)
    throw conflict(subjectOf(type), name, MODIFIED);
}

function changedMeta(type: ResourceType, current: KubeObject, wanted: KubeObject, part: Part): ObjectMeta {
  const old = current.metadata;
  if (part === 'status' && type.isCustom) return { ...old };
  const given = textMaps(wanted.metadata);
  if (old.deletionTimestamp !== undefined) refuseNewFinalizers(type, old, given);
  const fixed = {
    name: old.name,
    namespace: old.namespace,
    generateName: old.generateName,
    uid: old.uid,
    resourceVersion: old.resourceVersion,
    generation: old.generation,
    creationTimestamp: old.creationTimestamp,
    deletionTimestamp: old.deletionTimestamp,
    deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
    selfLink: undefined,
  };
  return compact({ ...given, ...fixed }) as unknown as ObjectMeta;
}

function refuseNewFinalizers(type: ResourceType, old: ObjectMeta, given: Partial<ObjectMeta>): void {
  const added = (given.finalizers ?? []).filter((finalizer) => !(old.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  const error = { ...invalid('metadata.finalizers', added, detail), type: 'forbidden' } as const;
  throw invalidObject(kindOf(type), old.name, [error]);
}
