/** Creates and changes objects: defaults, admission and validation in the API server's order, then the commit. */
import { alreadyExists, ApiError, badRequest, conflict, MODIFIED, notFound } from '../objects/api-error.js';
import { invalidObject } from '../objects/field-error.js';
import { equalJson, isObject } from '../objects/json.js';
import type { KubeObject, NewObject, ObjectRef } from '../objects/kube-object.js';
import { groupVersion, kindOf, subjectOf, type ResourceType } from '../resources/resource-type.js';
import type { ObjectStore } from '../store/object-store.js';
import type { AdmissionRequest, BuiltInAdmission, WebhookAdmission } from './admission.js';
import { counted, draftChange, draftNew, type Part, type Sources } from './draft.js';
import { metadataErrors } from './names.js';

export interface WriteOptions {
  readonly subresource?: 'status' | 'binding' | 'resize' | undefined;
  /** Everything but the commit. */
  readonly dryRun?: boolean | undefined;
  /** What becomes of fields that a custom resource's schema does not know. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  readonly warn?: ((text: string) => void) | undefined;
  /** The version whose schema holds; the storage version by default. */
  readonly version?: string | undefined;
}

export interface ObjectWriterOptions extends Sources {
  readonly store: ObjectStore;
  readonly builtIn: BuiltInAdmission;
  readonly webhooks: WebhookAdmission;
}

/** How often a name is generated again, or a change without a version tried again. */
const MOST_TRIES = 8;

export class ObjectWriter {
  readonly #options: ObjectWriterOptions;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  /** @throws ApiError 404 */
  require(type: ResourceType, { namespace, name }: ObjectRef): KubeObject {
    const object = this.#options.store.get(type.key, type.namespaced ? namespace : undefined, name);
    if (object === undefined) throw notFound(subjectOf(type), name);
    return object;
  }

  /** @throws ApiError */
  async create(type: ResourceType, wanted: NewObject, options: WriteOptions = {}): Promise<KubeObject> {
    const { store, builtIn, webhooks } = this.#options;
    checkKind(type, wanted);
    let object = this.#complete(type, this.#named(type, wanted), options);
    object = builtIn.admitNew(type, object);
    const request = requestFor('CREATE', { type, object, old: undefined, options });
    if (webhooks.concerns(request)) {
      const mutated = await webhooks.mutate(request);
      if (mutated !== undefined) object = this.#complete(type, sameIdentity(mutated, object), options);
    }
    check(type, object, undefined);
    if (webhooks.concerns(request)) await webhooks.validate({ ...request, object });
    const { namespace, name } = object.metadata;
    if (store.get(type.key, namespace, name) !== undefined) throw alreadyExists(subjectOf(type), name);
    if (options.dryRun === true) return object;
    return store.commit({ resource: type.key, before: undefined, after: object });
  }

  /**
   * Changes an object. `change` is called again where another client was faster while webhooks were called; answering the same
   * object changes nothing.
   * @throws ApiError
   */
  async change(
    type: ResourceType,
    ref: ObjectRef,
    change: (current: KubeObject) => KubeObject,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const current = this.require(type, ref);
      const wanted = change(current);
      if (wanted === current) return current;
      const changed = await this.#tryChange(type, current, wanted, options);
      if (changed !== undefined) return changed;
    }
    throw conflict(subjectOf(type), ref.name, MODIFIED);
  }

  /** undefined: another client was faster. */
  async #tryChange(
    type: ResourceType,
    current: KubeObject,
    wanted: KubeObject,
    options: WriteOptions,
  ): Promise<KubeObject | undefined> {
    const { store, builtIn, webhooks } = this.#options;
    checkKind(type, wanted);
    const part: Part = options.subresource ?? 'main';
    const settle = (object: KubeObject): KubeObject => {
      const drafted = draftChange(type, current, object, part);
      return counted(type, current, this.#complete(type, drafted, options));
    };
    let object = builtIn.admitChange(type, settle(wanted));
    const request = requestFor('UPDATE', { type, object, old: current, options });
    const isAsked = webhooks.concerns(request);
    if (isAsked) object = settle((await webhooks.mutate(request)) ?? object);
    // Only what may change has been taken of a resize.
    check(type, object, part === 'resize' ? object : current);
    if (isAsked) await webhooks.validate({ ...request, object });
    const { namespace, name } = current.metadata;
    if (store.get(type.key, namespace, name) !== current) return undefined;
    if (equalJson(object, current)) return current;
    if (options.dryRun === true) return object;
    return this.#commitChange(type, current, object);
  }

  /** Removing the last finalizer of an object that is being deleted deletes it. */
  #commitChange(type: ResourceType, before: KubeObject, after: KubeObject): KubeObject {
    const { store } = this.#options;
    const isKept = isHeld(type, after);
    if (after.metadata.deletionTimestamp === undefined || isKept)
      return store.commit({ resource: type.key, before, after });
    return store.commit({ resource: type.key, before: after, after: undefined });
  }

  #named(type: ResourceType, wanted: NewObject): KubeObject {
    const { store } = this.#options;
    let object = draftNew(type, wanted, this.#options);
    const isGenerated = (wanted.metadata?.name ?? '') === '';
    for (let tries = 0; isGenerated && tries < MOST_TRIES; tries += 1) {
      const { namespace, name } = object.metadata;
      if (store.get(type.key, namespace, name) === undefined) break;
      object = draftNew(type, wanted, this.#options);
    }
    return object;
  }

  #complete(type: ResourceType, object: KubeObject, options: WriteOptions): KubeObject {
    const { prune, defaults } = type.strategy;
    const pruned = prune?.(object, options.version ?? type.served[0].version);
    if (pruned !== undefined) tellUnknown(pruned.unknown, options);
    const known = pruned?.object ?? object;
    return defaults?.(known) ?? known;
  }
}

/** Whether an object that is being deleted stays for now. */
export function isHeld(type: ResourceType, { metadata, spec }: KubeObject): boolean {
  if ((metadata.finalizers ?? []).length > 0) return true;
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return true;
  return (
    type.kind === 'Namespace' &&
    isObject(spec) &&
    Array.isArray(spec['finalizers']) &&
    spec['finalizers'].length > 0
  );
}

function tellUnknown(unknown: readonly string[], { fieldValidation = 'Warn', warn }: WriteOptions): void {
  if (unknown.length === 0 || fieldValidation === 'Ignore') return;
  const complaints = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (fieldValidation === 'Strict') throw badRequest(`strict decoding error: ${complaints.join(', ')}`);
  for (const complaint of complaints) warn?.(complaint);
}

function checkKind(type: ResourceType, object: NewObject): void {
  const { apiVersion = '', kind = '' } = object;
  const versions = type.served.map(groupVersion);
  if ((apiVersion === '' || versions.includes(apiVersion)) && (kind === '' || kind === type.kind)) return;
  throw new ApiError(
    400,
    'BadRequest',
    `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${type.kind}: expected one of ${versions.join(', ')}`,
  );
}

function check(type: ResourceType, object: KubeObject, old: KubeObject | undefined): void {
  const errors = [...metadataErrors(type, object), ...(type.strategy.validate?.(object, old) ?? [])];
  if (errors.length > 0) throw invalidObject(kindOf(type), object.metadata.name, errors);
}

/** A webhook may not give another identity. */
function sameIdentity(mutated: KubeObject, { metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, creationTimestamp } = metadata;
  return {
    ...mutated,
    metadata: {
      ...mutated.metadata,
      name,
      uid,
      creationTimestamp,
      ...(namespace !== undefined && { namespace }),
    },
  };
}

function requestFor(
  operation: AdmissionRequest['operation'],
  {
    type,
    object,
    old,
    options,
  }: {
    readonly type: ResourceType;
    readonly object: KubeObject;
    readonly old: KubeObject | undefined;
    readonly options: WriteOptions;
  },
): AdmissionRequest {
  const { namespace, name } = object.metadata;
  return {
    operation,
    type,
    subresource: options.subresource ?? '',
    ref: { namespace, name },
    object,
    old,
    dryRun: options.dryRun === true,
    warn: (text) => options.warn?.(text),
  };
}
