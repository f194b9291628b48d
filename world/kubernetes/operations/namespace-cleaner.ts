/** Empties namespaces that are being deleted, then lets them go; gives each new one its ServiceAccount. */
import type { Clock } from '../../../src/ports/clock.js';
import { ApiError } from '../objects/api-error.js';
import { withValue } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { CollectorOptions } from './garbage-collector.js';

const DELAY_MILLIS = 20;

export class NamespaceCleaner {
  readonly #options: CollectorOptions;
  readonly #clock: Clock;
  readonly #due = new Set<string>();

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#clock = options.clock;
    options.store.observe((resource, { type, object }) => {
      const { namespace } = object.metadata;
      if (resource === 'namespaces') this.#namespaceSeen(type, object);
      else if (type === 'DELETED' && namespace !== undefined && this.#isTerminating(namespace))
        this.#plan(namespace);
    });
  }

  #namespaceSeen(type: 'ADDED' | 'MODIFIED' | 'DELETED', { metadata }: KubeObject): void {
    if (type === 'ADDED') void this.#furnish(metadata.name);
    if (type === 'MODIFIED' && metadata.deletionTimestamp !== undefined) this.#plan(metadata.name);
  }

  async #furnish(namespace: string): Promise<void> {
    const { writer, registry } = this.#options;
    await writer.create(registry.named('serviceaccounts'), { metadata: { name: 'default', namespace } });
  }

  #isTerminating(namespace: string): boolean {
    const object = this.#options.store.get('namespaces', undefined, namespace);
    return object?.metadata.deletionTimestamp !== undefined;
  }

  #plan(namespace: string): void {
    if (this.#due.has(namespace)) return;
    this.#due.add(namespace);
    this.#clock.timer(DELAY_MILLIS, () => {
      this.#due.delete(namespace);
      void this.#clean(namespace);
    });
  }

  async #clean(namespace: string): Promise<void> {
    const { store, registry, remover, writer } = this.#options;
    let left = 0;
    for (const type of registry.types.filter(({ namespaced }) => namespaced)) {
      const objects = store.list(type.key).filter(({ metadata }) => metadata.namespace === namespace);
      left += objects.length;
      for (const { metadata } of objects) await unlessRefused(remover.remove(type, metadata));
    }
    // Each that goes calls again.
    if (left > 0) return;
    const change = writer.change(registry.named('namespaces'), { name: namespace }, (object) =>
      withValue(object, ['spec', 'finalizers'], []),
    );
    await unlessRefused(change);
  }
}

async function unlessRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
