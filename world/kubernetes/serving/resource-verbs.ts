/** What is done to objects and collections by path: get, list, watch, create, update, patch, delete. */
import { ApiError, badRequest, methodNotAllowed, unsupportedMediaType } from '../objects/api-error.js';
import { isObject, listAt, objectAt, textAt, valueAt, type JsonObject } from '../objects/json.js';
import { formatTime, type KubeObject, type NewObject, type ObjectRef } from '../objects/kube-object.js';
import type { CollectorOptions } from '../operations/garbage-collector.js';
import type { DeleteOptions } from '../operations/object-remover.js';
import type { WriteOptions } from '../operations/object-writer.js';
import { MEDIA_TYPES, mergeKindOf, patched, type PatchType } from '../operations/patching.js';
import type { Subresources } from '../operations/subresources.js';
import { serverSideApply } from '../patching/server-side-apply.js';
import type { ServedResource } from '../resources/registry.js';
import { groupOf, groupVersion, subjectOf } from '../resources/resource-type.js';
import { selects } from '../selection/selection.js';
import type { WireAnswer, WireRequest } from '../../wire/wire.js';
import { jsonAnswer, streamAnswer } from './answers.js';
import {
  mediaTypeOf,
  readBody,
  readObject,
  renderingOf,
  selectionOf,
  writeOptionsOf,
  type ResourcePath,
} from './api-request.js';
import type { ListMoments } from './list-moments.js';
import { renderList, renderObject, shown, type RenderOptions } from './rendering.js';
import { checkVersion, type Watching } from './watching.js';

export const APPLY = 'application/apply-patch+yaml';

/** One request about a resource that is served. */
export interface ResourceCall {
  readonly request: WireRequest;
  readonly query: URLSearchParams;
  readonly path: ResourcePath;
  readonly resource: ServedResource;
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
}

export interface VerbsOptions extends CollectorOptions {
  readonly subresources: Subresources;
  readonly watching: Watching;
  readonly moments: ListMoments;
}

export class ResourceVerbs {
  readonly #options: VerbsOptions;

  constructor(options: VerbsOptions) {
    this.#options = options;
  }

  async collection(call: ResourceCall): Promise<WireAnswer> {
    switch (call.request.method) {
      case 'GET':
        return isWatch(call.query) ? this.#watch(call, undefined) : this.#list(call);
      case 'POST':
        return this.#create(call);
      case 'DELETE':
        return this.#deleteAll(call);
      default:
        throw methodNotAllowed(call.request.method);
    }
  }

  /** The object itself, or its status. */
  async object(call: ResourceCall, name: string): Promise<WireAnswer> {
    const ref = refOf(call, name);
    const part: WriteOptions = call.path.subresource === 'status' ? { subresource: 'status' } : {};
    switch (call.request.method) {
      case 'GET':
        if (isWatch(call.query)) return this.#watch(call, name);
        return jsonAnswer(
          200,
          renderObject(this.#options.writer.require(call.resource.type, ref), this.#render(call)),
        );
      case 'PUT':
        return this.#replace(call, ref, part);
      case 'PATCH':
        return this.#patch(call, ref, part);
      case 'DELETE':
        return this.#delete(call, ref);
      default:
        throw methodNotAllowed(call.request.method);
    }
  }

  #render({ request, query, resource }: ResourceCall): RenderOptions {
    const include = query.get('includeObject');
    return {
      resource,
      clock: this.#options.clock,
      ...renderingOf(request),
      includeObject: include === 'None' || include === 'Object' ? include : 'Metadata',
    };
  }

  #list(call: ResourceCall): WireAnswer {
    const { query, path, resource } = call;
    const { store, moments } = this.#options;
    const selection = selectionOf(query, path.namespace);
    const limit = Number(query.get('limit') ?? 0);
    const token = query.get('continue') ?? '';
    const asked = query.get('resourceVersion') ?? '';
    checkVersion(Number(asked), store.revision);
    const select = selects(resource.type, selection);
    const key = resource.type.key;
    const page =
      token === ''
        ? moments.first(key, store.list(key).filter(select), String(store.revision), limit)
        : moments.next(key, token, limit);
    const isWhole = selection.labelSelector === '' && selection.fieldSelector === '';
    const metadata = {
      resourceVersion: page.resourceVersion,
      ...(page.continueAt !== undefined && { continue: page.continueAt }),
      ...(page.remaining > 0 && isWhole && { remainingItemCount: page.remaining }),
    };
    return jsonAnswer(200, renderList(page.objects, metadata, this.#render(call)));
  }

  #watch(call: ResourceCall, name: string | undefined): WireAnswer {
    const { query, path, resource, signal } = call;
    const lines = this.#options.watching.open(
      {
        render: this.#render(call),
        selects: selects(resource.type, selectionOf(query, path.namespace, name)),
        resourceVersion: query.get('resourceVersion') ?? '',
        sendsInitial: isTrue(query.get('sendInitialEvents')),
        bookmarks: isTrue(query.get('allowWatchBookmarks')),
        timeoutSeconds: Number(query.get('timeoutSeconds') ?? 0),
      },
      signal,
    );
    return streamAnswer(lines);
  }

  async #create(call: ResourceCall): Promise<WireAnswer> {
    const { resource, path } = call;
    const given = readObject(call.request);
    const object = this.#read(resource, placed(call, given, path.namespace));
    const made = await this.#options.writer.create(resource.type, object, this.#writing(call));
    return jsonAnswer(201, renderObject(made, this.#render(call)));
  }

  async #replace(call: ResourceCall, ref: ObjectRef, part: WriteOptions): Promise<WireAnswer> {
    const { resource } = call;
    const given = readObject(call.request);
    const wanted = this.#read(resource, placed(call, given, ref.namespace)) as KubeObject;
    const made = await this.#options.writer.change(resource.type, ref, () => wanted, {
      ...this.#writing(call),
      ...part,
    });
    return jsonAnswer(200, renderObject(made, this.#render(call)));
  }

  async #patch(call: ResourceCall, ref: ObjectRef, part: WriteOptions): Promise<WireAnswer> {
    const { resource, request } = call;
    const mediaType = mediaTypeOf(request);
    if (mediaType === APPLY) return this.#apply(call, ref, part);
    const type = (Object.keys(MEDIA_TYPES) as PatchType[]).find((each) => MEDIA_TYPES[each] === mediaType);
    if (type === undefined) throw unsupportedMediaType([...Object.values(MEDIA_TYPES), APPLY]);
    const body = readBody(request.body, false);
    const made = await this.#options.writer.change(
      resource.type,
      ref,
      (object) =>
        this.#read(resource, patched(resource.type, shown(resource, object), { type, body })) as KubeObject,
      { ...this.#writing(call), ...part },
    );
    return jsonAnswer(200, renderObject(made, this.#render(call)));
  }

  /** Creates the object where it is not there. */
  async #apply(call: ResourceCall, ref: ObjectRef, part: WriteOptions): Promise<WireAnswer> {
    const { resource, request, query } = call;
    const { writer, clock, store } = this.#options;
    const applied = readBody(request.body, true);
    if (!isObject(applied)) throw badRequest('an apply patch must be an object');
    const manager = query.get('fieldManager') ?? '';
    if (manager === '')
      throw new ApiError(
        422,
        'Invalid',
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      );
    const options = {
      kind: mergeKindOf(resource.type),
      apiVersion: groupVersion(resource.served),
      manager,
      force: isTrue(query.get('force')),
      time: formatTime(clock.now()),
    };
    const writing = { ...this.#writing(call), ...part };
    if (store.get(resource.type.key, ref.namespace, ref.name) === undefined) {
      const first = serverSideApply({}, withName(applied, ref), options);
      const made = await writer.create(resource.type, this.#read(resource, first), writing);
      return jsonAnswer(201, renderObject(made, this.#render(call)));
    }
    const made = await writer.change(
      resource.type,
      ref,
      (object) =>
        this.#read(resource, serverSideApply(shown(resource, object), applied, options)) as KubeObject,
      writing,
    );
    return jsonAnswer(200, renderObject(made, this.#render(call)));
  }

  async #delete(call: ResourceCall, ref: ObjectRef): Promise<WireAnswer> {
    const { type } = call.resource;
    const { object, isGone } = await this.#options.remover.remove(type, ref, deleteOptionsOf(call));
    if (!isGone || type.kind === 'Pod') return jsonAnswer(200, renderObject(object, this.#render(call)));
    const { resource: kind, group } = subjectOf(type);
    const details = { name: ref.name, ...(group !== '' && { group }), kind, uid: object.metadata.uid };
    return jsonAnswer(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }

  async #deleteAll(call: ResourceCall): Promise<WireAnswer> {
    const { query, path, resource } = call;
    const { store, remover } = this.#options;
    const options = deleteOptionsOf(call);
    const objects = store
      .list(resource.type.key)
      .filter(selects(resource.type, selectionOf(query, path.namespace)));
    for (const { metadata } of objects) await remover.remove(resource.type, metadata, options);
    return jsonAnswer(
      200,
      renderList(objects, { resourceVersion: String(store.revision) }, this.#render(call)),
    );
  }

  #writing({ query, resource, warn }: ResourceCall): WriteOptions {
    return { ...writeOptionsOf(query, warn), version: resource.served.version };
  }

  /** As it is stored. */
  #read({ served }: ServedResource, object: NewObject): NewObject {
    return served.read?.(object as KubeObject) ?? object;
  }
}

export function refOf({ path, resource }: ResourceCall, name: string): ObjectRef {
  return { namespace: resource.type.namespaced ? path.namespace : undefined, name };
}

/** From the body, else from the query. @throws ApiError 400 */
export function deleteOptionsOf(call: ResourceCall): DeleteOptions {
  return readDeleteOptions(call.request.body === '' ? {} : readObject(call.request), call);
}

export function readDeleteOptions(
  body: JsonObject,
  { query, warn }: Pick<ResourceCall, 'query' | 'warn'>,
): DeleteOptions {
  const grace = valueAt(body, 'gracePeriodSeconds') ?? query.get('gracePeriodSeconds') ?? undefined;
  const policy = textAt(body, 'propagationPolicy') || query.get('propagationPolicy');
  const preconditions = objectAt(body, 'preconditions');
  const [uid, resourceVersion] = [textAt(preconditions, 'uid'), textAt(preconditions, 'resourceVersion')];
  return {
    ...(grace !== undefined && { gracePeriodSeconds: Number(grace) }),
    ...((policy === 'Background' || policy === 'Foreground' || policy === 'Orphan') && {
      propagationPolicy: policy,
    }),
    preconditions: { ...(uid !== '' && { uid }), ...(resourceVersion !== '' && { resourceVersion }) },
    dryRun: listAt(body, 'dryRun').includes('All') || query.get('dryRun') === 'All',
    warn,
  };
}

/** In the namespace of the path. @throws ApiError 400 */
function placed({ resource }: ResourceCall, object: JsonObject, namespace: string | undefined): NewObject {
  if (!resource.type.namespaced) return object;
  const own = textAt(object, 'metadata', 'namespace');
  if (own !== '' && namespace !== undefined && own !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (namespace === undefined && own === '')
    throw badRequest(
      `an empty namespace may not be set during creation of ${resource.type.plural}${groupOf(resource.type)}`,
    );
  return { ...object, metadata: { ...objectAt(object, 'metadata'), namespace: namespace ?? own } };
}

function withName(object: JsonObject, { namespace, name }: ObjectRef): JsonObject {
  const metadata = { ...objectAt(object, 'metadata'), name, ...(namespace !== undefined && { namespace }) };
  return { ...object, metadata };
}

function isWatch(query: URLSearchParams): boolean {
  return isTrue(query.get('watch'));
}

function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}
