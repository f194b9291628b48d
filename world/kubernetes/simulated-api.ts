/**
 * A Kubernetes API server without etcd and sockets: objects, admission, garbage collection, and the same over HTTP. What it
 * does depends on the clock, the seed and what it is asked alone.
 */
import type { Clock } from '../../src/ports/clock.js';
import type { Random } from '../../src/ports/random.js';
import type { WireHandler } from '../wire/wire.js';
import { BuiltInPlugins } from './admission/built-in-plugins.js';
import type { CallWebhook } from './admission/webhook-call.js';
import { Webhooks } from './admission/webhooks.js';
import { BOOTSTRAP } from './operations/bootstrap.js';
import type { KubeObject, NewObject, ObjectRef } from './objects/kube-object.js';
import { GarbageCollector } from './operations/garbage-collector.js';
import { NamespaceCleaner } from './operations/namespace-cleaner.js';
import { ObjectRemover, type DeleteOptions } from './operations/object-remover.js';
import { ObjectWriter } from './operations/object-writer.js';
import { patched, type Patch } from './operations/patching.js';
import { Subresources, type EvictionCheck } from './operations/subresources.js';
import { ResourceRegistry } from './resources/registry.js';
import { CustomResources } from './schema/custom-resources.js';
import { selects, type Selection } from './selection/selection.js';
import { ApiServing } from './serving/api-serving.js';
import { ObjectStore } from './store/object-store.js';

/** Events remembered per resource: older watches have to list again. */
const HISTORY_EVENTS = 20_000;

export interface SimulatedApiOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Without it webhooks cannot be reached. */
  readonly callWebhook?: CallWebhook | undefined;
  readonly canEvict?: EvictionCheck | undefined;
  readonly historyEvents?: number | undefined;
}

export interface ApiEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  /** As it was; undefined for one that is new. */
  readonly before: KubeObject | undefined;
}

export interface WritePart {
  readonly subresource?: 'status' | undefined;
}

export class SimulatedApi {
  /** The same over HTTP. */
  readonly handle: WireHandler;
  readonly #store: ObjectStore;
  readonly #registry = new ResourceRegistry();
  readonly #writer: ObjectWriter;
  readonly #remover: ObjectRemover;
  readonly #subresources: Subresources;
  readonly #serving: ApiServing;

  constructor(options: SimulatedApiOptions) {
    const { clock, random, callWebhook, canEvict, historyEvents = HISTORY_EVENTS } = options;
    const store = new ObjectStore(historyEvents);
    const registry = this.#registry;
    const webhooks = new Webhooks({ store, random, callWebhook });
    const writer = new ObjectWriter({ store, clock, random, builtIn: new BuiltInPlugins(store), webhooks });
    const remover = new ObjectRemover({ store, writer, webhooks, clock });
    const subresources = new Subresources({ writer, remover, clock });
    if (canEvict !== undefined) subresources.guardEvictions(canEvict);
    const parts = { store, registry, writer, remover, clock };
    new CustomResources(parts);
    new GarbageCollector(parts);
    new NamespaceCleaner(parts);
    this.#store = store;
    this.#writer = writer;
    this.#remover = remover;
    this.#subresources = subresources;
    const serving = new ApiServing({ ...parts, subresources });
    this.#serving = serving;
    this.handle = (request, signal) => serving.handle(request, signal);
    for (const [resource, object] of BOOTSTRAP) void this.create(resource, object);
  }

  /** Of the last commit. */
  get resourceVersion(): string {
    return String(this.#store.revision);
  }

  /** `resource` is plural and group: `pods`, `deployments.apps`. @throws ApiError 404 for a resource that is not served */
  get(resource: string, { namespace, name }: ObjectRef): KubeObject | undefined {
    const type = this.#registry.named(resource);
    return this.#store.get(type.key, type.namespaced ? namespace : undefined, name);
  }

  /** In order of namespace and name. @throws ApiError */
  list(resource: string, selection: Selection = {}): readonly KubeObject[] {
    const type = this.#registry.named(resource);
    const objects = this.#store.list(type.key);
    const { namespace, labelSelector, fieldSelector } = selection;
    if ((namespace ?? labelSelector ?? fieldSelector) === undefined) return objects;
    return objects.filter(selects(type, selection));
  }

  /** @throws ApiError */
  async create(resource: string, object: NewObject): Promise<KubeObject> {
    return this.#writer.create(this.#registry.named(resource), object);
  }

  /** With the resourceVersion that was read only that version is replaced; without one, any. @throws ApiError */
  async update(resource: string, object: KubeObject, part: WritePart = {}): Promise<KubeObject> {
    return this.#writer.change(this.#registry.named(resource), object.metadata, () => object, part);
  }

  /** Reads, changes and writes; nothing is written where the same object is answered. @throws ApiError */
  async change(
    resource: string,
    ref: ObjectRef,
    change: (object: KubeObject) => KubeObject,
    part: WritePart = {},
  ): Promise<KubeObject> {
    return this.#writer.change(this.#registry.named(resource), ref, change, part);
  }

  /** @throws ApiError */
  async patch(resource: string, ref: ObjectRef, patch: Patch, part: WritePart = {}): Promise<KubeObject> {
    const type = this.#registry.named(resource);
    return this.#writer.change(type, ref, (object) => patched(type, object, patch), part);
  }

  /** Answers the object while finalizers or its grace keep it, undefined when it is gone. @throws ApiError */
  async delete(
    resource: string,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<KubeObject | undefined> {
    const { object, isGone } = await this.#remover.remove(this.#registry.named(resource), ref, options);
    return isGone ? undefined : object;
  }

  /** Gives a pending pod its node. @throws ApiError 409 */
  async bind(ref: ObjectRef, node: string): Promise<KubeObject> {
    return this.#subresources.bind(this.#registry.named('pods'), ref, { node });
  }

  /** @throws ApiError 429, while the check refuses it */
  async evict(ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    await this.#subresources.evict(this.#registry.named('pods'), ref, options);
  }

  guardEvictions(check: EvictionCheck): void {
    this.#subresources.guardEvictions(check);
  }

  /**
   * Calls the listener with every change in order, one at a time: what a listener writes comes after all listeners have had
   * the event before. Existing objects come first, at once, unless `initial` is false. Answers a function that ends it.
   */
  watch(
    resource: string,
    listener: (event: ApiEvent) => void,
    { initial = true }: { readonly initial?: boolean } = {},
  ): () => void {
    const type = this.#registry.named(resource);
    const known = initial ? this.#store.list(type.key) : [];
    const stop = this.#store.subscribe(type.key, listener);
    for (const object of known) listener({ type: 'ADDED', object, before: undefined });
    return stop;
  }

  /** Forgets what happened: watches from before, and lists that were being read, have to begin again (410). */
  compact(): void {
    this.#store.compact();
    this.#serving.forgetLists();
  }

  /** Ends every watch over HTTP, as an API server that restarts does. */
  closeWatches(): void {
    this.#serving.closeWatches();
  }
}
