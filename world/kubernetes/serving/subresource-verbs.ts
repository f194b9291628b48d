/** What is below objects beside their status: scale, binding, eviction, resize, logs. */
import { badRequest, methodNotAllowed, noSuchResource, unsupportedMediaType } from '../objects/api-error.js';
import { isObject, objectAt, textAt, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { MEDIA_TYPES } from '../operations/patching.js';
import { applyJsonPatch } from '../patching/json-patch.js';
import { applyMergePatch } from '../patching/merge-patch.js';
import type { WireAnswer, WireRequest } from '../../wire/wire.js';
import { jsonAnswer, textAnswer } from './answers.js';
import { mediaTypeOf, readBody, readObject } from './api-request.js';
import { readDeleteOptions, refOf, type ResourceCall, type VerbsOptions } from './resource-verbs.js';

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

export class SubresourceVerbs {
  readonly #options: VerbsOptions;

  constructor(options: VerbsOptions) {
    this.#options = options;
  }

  /** @throws ApiError */
  async answer(call: ResourceCall, name: string): Promise<WireAnswer> {
    const { path, resource } = call;
    if (path.subresource === 'scale' && resource.type.scale !== undefined) return this.#scale(call, name);
    const of = `${resource.type.key}/${path.subresource}`;
    switch (of) {
      case 'pods/binding':
        return this.#bind(call, name);
      case 'pods/eviction':
        return this.#evict(call, name);
      case 'pods/resize':
        return this.#resize(call, name);
      case 'pods/log':
        this.#options.writer.require(resource.type, refOf(call, name));
        return textAnswer(200, '');
      case 'namespaces/finalize':
        return this.#finalize(call, name);
      default:
        throw noSuchResource();
    }
  }

  async #scale(call: ResourceCall, name: string): Promise<WireAnswer> {
    const { request, resource } = call;
    const { subresources } = this.#options;
    const { type } = resource;
    const paths = type.scale;
    if (paths === undefined) throw noSuchResource();
    const ref = refOf(call, name);
    switch (request.method) {
      case 'GET':
        return jsonAnswer(200, subresources.readScale(type, ref, paths));
      case 'PUT': {
        const scale = readObject(request);
        return jsonAnswer(200, await subresources.changeScale(type, ref, paths, () => scale));
      }
      case 'PATCH': {
        const change = patchOf(request);
        return jsonAnswer(200, await subresources.changeScale(type, ref, paths, change));
      }
      default:
        throw methodNotAllowed(request.method);
    }
  }

  async #bind(call: ResourceCall, name: string): Promise<WireAnswer> {
    if (call.request.method !== 'POST') throw methodNotAllowed(call.request.method);
    const binding = readObject(call.request);
    const node = textAt(binding, 'target', 'name');
    if (node === '') throw badRequest('target.name: Required value');
    const uid = textAt(binding, 'metadata', 'uid');
    await this.#options.subresources.bind(call.resource.type, refOf(call, name), { node, uid });
    return jsonAnswer(201, SUCCESS);
  }

  async #evict(call: ResourceCall, name: string): Promise<WireAnswer> {
    if (call.request.method !== 'POST') throw methodNotAllowed(call.request.method);
    const eviction = readObject(call.request);
    const options = readDeleteOptions(objectAt(eviction, 'deleteOptions'), call);
    await this.#options.subresources.evict(call.resource.type, refOf(call, name), options);
    return jsonAnswer(201, SUCCESS);
  }

  async #resize(call: ResourceCall, name: string): Promise<WireAnswer> {
    const { request, resource } = call;
    if (request.method !== 'PATCH') throw methodNotAllowed(request.method);
    const change = patchOf(request);
    return jsonAnswer(200, await this.#options.subresources.resize(resource.type, refOf(call, name), change));
  }

  async #finalize(call: ResourceCall, name: string): Promise<WireAnswer> {
    if (call.request.method !== 'PUT') throw methodNotAllowed(call.request.method);
    const wanted = readObject(call.request) as KubeObject;
    const made = await this.#options.writer.change(call.resource.type, { name }, (object) => {
      return { ...object, spec: wanted['spec'] };
    });
    return jsonAnswer(200, made);
  }
}

/** @throws ApiError 400, 415 */
function patchOf(request: WireRequest): (object: JsonObject) => unknown {
  const body = readBody(request.body, false);
  const type = mediaTypeOf(request);
  if (type === MEDIA_TYPES.json) return (object) => applyJsonPatch(object, body);
  if (!isObject(body)) throw badRequest('a merge patch must be an object');
  if (type === MEDIA_TYPES.merge || type === MEDIA_TYPES.strategic)
    return (object) => applyMergePatch(object, body);
  throw unsupportedMediaType(Object.values(MEDIA_TYPES));
}
