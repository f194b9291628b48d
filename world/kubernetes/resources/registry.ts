/** All resources that are served, found by path and by the names that kubectl uses. */
import { noSuchResource } from '../objects/api-error.js';
import { BUILT_IN_TYPES } from './built-in-types.js';
import type { ResourceType, ServedVersion } from './resource-type.js';

export interface ServedResource {
  readonly type: ResourceType;
  readonly served: ServedVersion;
}

export class ResourceRegistry {
  readonly #types = new Map<string, ResourceType>(BUILT_IN_TYPES.map((type) => [type.key, type]));
  /** By `group/version/plural`. */
  readonly #served = new Map<string, ServedResource>();

  constructor() {
    for (const type of BUILT_IN_TYPES) this.#index(type);
  }

  get types(): readonly ResourceType[] {
    return [...this.#types.values()];
  }

  /** By `pods`, `deployments.apps`. @throws ApiError 404 */
  named(key: string): ResourceType {
    const type = this.#types.get(key);
    if (type === undefined) throw noSuchResource();
    return type;
  }

  find(key: string): ResourceType | undefined {
    return this.#types.get(key);
  }

  /** As a path names it: the group is '' for the core's. */
  at(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#served.get(`${group}/${version}/${plural}`);
  }

  /** What an object's apiVersion and kind stand for. */
  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    for (const resource of this.#served.values()) {
      const { group, version } = resource.served;
      const own = group === '' ? version : `${group}/${version}`;
      if (own === apiVersion && resource.type.kind === kind) return resource;
    }
    return undefined;
  }

  /** A custom resource, new or changed. */
  put(type: ResourceType): void {
    this.remove(type.key);
    this.#types.set(type.key, type);
    this.#index(type);
  }

  remove(key: string): void {
    const type = this.#types.get(key);
    if (type === undefined) return;
    this.#types.delete(key);
    for (const { group, version } of type.served) this.#served.delete(`${group}/${version}/${type.plural}`);
  }

  #index(type: ResourceType): void {
    for (const served of type.served)
      this.#served.set(`${served.group}/${served.version}/${type.plural}`, { type, served });
  }
}
