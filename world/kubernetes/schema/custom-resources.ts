/** Serves what CustomResourceDefinitions define, from their creation until they and all their objects are gone. */
import { ApiError } from '../objects/api-error.js';
import { isObject, listAt, objectAt, textAt } from '../objects/json.js';
import { formatTime, type KubeObject } from '../objects/kube-object.js';
import type { CollectorOptions } from '../operations/garbage-collector.js';
import { customType } from './custom-type.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

export class CustomResources {
  readonly #options: CollectorOptions;

  constructor(options: CollectorOptions) {
    this.#options = options;
    options.store.observe((resource, { type, object, before }) => {
      if (resource !== DEFINITIONS) return;
      if (type === 'DELETED') void this.#withdraw(object);
      else if (before?.metadata.generation !== object.metadata.generation) void this.#serve(object);
    });
  }

  async #serve(definition: KubeObject): Promise<void> {
    const { registry, writer } = this.#options;
    const type = customType(definition);
    if (type === undefined) return;
    registry.put(type);
    const established = (object: KubeObject): KubeObject => ({ ...object, status: this.#statusOf(object) });
    await unlessGone(
      writer.change(registry.named(DEFINITIONS), definition.metadata, established, { subresource: 'status' }),
    );
  }

  #statusOf(definition: KubeObject): object {
    const now = formatTime(this.#options.clock.now());
    const known = listAt(definition, 'status', 'conditions');
    const condition = (type: string, reason: string, message: string): unknown =>
      known.find((each) => textAt(each, 'type') === type) ?? {
        type,
        status: 'True',
        reason,
        message,
        lastTransitionTime: now,
      };
    const stored = listAt(definition, 'spec', 'versions').filter(
      (version) => isObject(version) && version['storage'] === true,
    );
    return {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: objectAt(definition, 'spec', 'names'),
      storedVersions: stored.map((version) => textAt(version, 'name')),
    };
  }

  async #withdraw(definition: KubeObject): Promise<void> {
    const { registry, store, remover } = this.#options;
    const type = registry.find(definition.metadata.name);
    if (type === undefined) return;
    for (const { metadata } of store.list(type.key)) await unlessGone(remover.remove(type, metadata));
    registry.remove(type.key);
  }
}

async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
