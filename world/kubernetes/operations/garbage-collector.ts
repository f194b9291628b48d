/**
 * Deletes what has no owner any more: dependents of objects that are gone, or that wait for them (kube-controller-manager's
 * garbage collector). It looks a moment after what happened, as that does.
 */
import type { Clock } from '../../../src/ports/clock.js';
import { ApiError } from '../objects/api-error.js';
import { withMeta, type KubeObject, type ObjectRef } from '../objects/kube-object.js';
import type { ResourceRegistry } from '../resources/registry.js';
import type { ObjectStore, StoreEvent } from '../store/object-store.js';
import { FOREGROUND, ORPHAN, type ObjectRemover } from './object-remover.js';
import type { ObjectWriter } from './object-writer.js';

const DELAY_MILLIS = 20;

interface Known extends ObjectRef {
  readonly resource: string;
}

export interface CollectorOptions {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly clock: Clock;
}

export class GarbageCollector {
  readonly #options: CollectorOptions;
  /** By uid. */
  readonly #known = new Map<string, Known>();
  /** uid of an owner → uids of what names it. */
  readonly #dependents = new Map<string, Set<string>>();
  readonly #due = new Set<string>();
  #isPlanned = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
    options.store.observe((resource, event) => {
      this.#learn(resource, event);
    });
  }

  #learn(resource: string, { type, object, before }: StoreEvent): void {
    const { uid, namespace, name } = object.metadata;
    const old = ownersOf(before);
    const owners = type === 'DELETED' ? [] : ownersOf(object);
    for (const owner of old.filter((each) => !owners.includes(each))) this.#forgetOwner(owner, uid);
    for (const owner of owners) this.#rememberOwner(owner, uid);
    if (type === 'DELETED') {
      this.#known.delete(uid);
      this.#plan(...(this.#dependents.get(uid) ?? []), ...old);
      return;
    }
    this.#known.set(uid, { resource, namespace, name });
    const isWaiting = object.metadata.deletionTimestamp !== undefined && waitsFor(object) !== undefined;
    if (isWaiting || (owners.length > 0 && owners.every((owner) => !this.#known.has(owner)))) this.#plan(uid);
  }

  #rememberOwner(owner: string, uid: string): void {
    const dependents = this.#dependents.get(owner) ?? new Set();
    this.#dependents.set(owner, dependents.add(uid));
  }

  #forgetOwner(owner: string, uid: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(uid);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }

  #plan(...uids: readonly string[]): void {
    for (const uid of uids) this.#due.add(uid);
    if (this.#isPlanned || this.#due.size === 0) return;
    this.#isPlanned = true;
    this.#options.clock.timer(DELAY_MILLIS, () => {
      this.#isPlanned = false;
      const due = [...this.#due];
      this.#due.clear();
      for (const uid of due) void this.#look(uid);
    });
  }

  /** What is refused, by a webhook for instance, is tried again with the next event. */
  async #look(uid: string): Promise<void> {
    const known = this.#known.get(uid);
    const object = known && this.#options.store.get(known.resource, known.namespace, known.name);
    if (known === undefined || object?.metadata.uid !== uid) return;
    try {
      if (object.metadata.deletionTimestamp !== undefined) await this.#releaseOwner(known, object);
      else await this.#removeDependent(known, object);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** No owner of it is left, or all of them wait for it to go. */
  async #removeDependent(known: Known, object: KubeObject): Promise<void> {
    const owners = ownersOf(object).map((uid) => this.#object(uid));
    const isWanted = owners.some((owner) => owner !== undefined && waitsFor(owner) !== FOREGROUND);
    if (isWanted || owners.length === 0) return;
    const { uid } = object.metadata;
    const isOwner = owners.some((owner) => owner !== undefined) && this.#dependents.has(uid);
    await this.#options.remover.remove(this.#options.registry.named(known.resource), known, {
      preconditions: { uid },
      propagationPolicy: isOwner ? 'Foreground' : 'Background',
    });
  }

  async #releaseOwner(known: Known, owner: KubeObject): Promise<void> {
    const policy = waitsFor(owner);
    if (policy === undefined) return;
    const { uid } = owner.metadata;
    const dependents = [...(this.#dependents.get(uid) ?? [])];
    if (policy === ORPHAN) await Promise.all(dependents.map((dependent) => this.#orphan(dependent, uid)));
    else {
      const blocking = dependents.filter((dependent) => blocks(this.#object(dependent), uid));
      await Promise.all(dependents.map((dependent) => this.#look(dependent)));
      if (blocking.some((dependent) => this.#known.has(dependent))) return;
    }
    await this.#change(known, (object) => {
      const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== policy);
      return withMeta(object, { finalizers });
    });
  }

  async #orphan(dependent: string, owner: string): Promise<void> {
    const known = this.#known.get(dependent);
    if (known === undefined) return;
    await this.#change(known, (object) => {
      const left = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner);
      return withMeta(object, { ownerReferences: left.length === 0 ? undefined : left });
    });
  }

  async #change(known: Known, change: (object: KubeObject) => KubeObject): Promise<void> {
    await this.#options.writer.change(this.#options.registry.named(known.resource), known, change);
  }

  #object(uid: string): KubeObject | undefined {
    const known = this.#known.get(uid);
    return known && this.#options.store.get(known.resource, known.namespace, known.name);
  }
}

function ownersOf(object: KubeObject | undefined): readonly string[] {
  return (object?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
}

/** How an object that is being deleted deals with its dependents before it goes. */
function waitsFor({ metadata }: KubeObject): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  return metadata.finalizers?.find((finalizer) => finalizer === FOREGROUND || finalizer === ORPHAN);
}

function blocks(object: KubeObject | undefined, owner: string): boolean {
  return (object?.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true,
  );
}
