/**
 * All objects of the cluster and what happened to them lately: one counter of versions, and per resource the objects and
 * their history. Listeners hear of commits in order and one at a time.
 */
import type { KubeObject } from '../objects/kube-object.js';

export interface StoreEvent {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** As it is now; of a deleted one, as it was last, with the version of its deletion. */
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
}

export type StoreListener = (event: StoreEvent) => void;

interface Subscription {
  readonly listener: StoreListener;
  /** It knows already what was committed until then. */
  readonly since: number;
  isActive: boolean;
}

class Collection {
  readonly objects = new Map<string, KubeObject>();
  history: StoreEvent[] = [];
  /** Events up to this version may be forgotten. */
  forgottenUntil = 0;
  readonly subscriptions = new Set<Subscription>();
  /** Always in order. */
  readonly keys: string[] = [];
  listed: readonly KubeObject[] | undefined;

  put(key: string, object: KubeObject): void {
    if (!this.objects.has(key)) this.keys.splice(this.#place(key), 0, key);
    this.objects.set(key, object);
    this.listed = undefined;
  }

  delete(key: string): void {
    if (this.objects.delete(key)) this.keys.splice(this.#place(key), 1);
    this.listed = undefined;
  }

  /** Where the key is, or belongs. */
  #place(key: string): number {
    let [least, most] = [0, this.keys.length];
    while (least < most) {
      const middle = (least + most) >>> 1;
      if ((this.keys[middle] ?? '') < key) least = middle + 1;
      else most = middle;
    }
    return least;
  }
}

/** Told of the commits of all resources. */
export type StoreObserver = (resource: string, event: StoreEvent) => void;

export interface Commit {
  /** The resource's key: `pods`. */
  readonly resource: string;
  /** The object as it is now; undefined when it is to be added. */
  readonly before: KubeObject | undefined;
  /** Without a resourceVersion of its own; undefined when it is to go. */
  readonly after: KubeObject | undefined;
}

export class ObjectStore {
  readonly #collections = new Map<string, Collection>();
  readonly #mostHistory: number;
  readonly #observers: StoreObserver[] = [];
  readonly #untold: { readonly event: StoreEvent; readonly resource: string }[] = [];
  #isTelling = false;
  #revision = 1;

  /** Events that are remembered per resource, at most twice as many. */
  constructor(mostHistory: number) {
    this.#mostHistory = mostHistory;
  }

  get revision(): number {
    return this.#revision;
  }

  get(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#collections.get(resource)?.objects.get(keyOf(namespace, name));
  }

  /** In the order of etcd's keys. */
  list(resource: string): readonly KubeObject[] {
    const collection = this.#collections.get(resource);
    if (collection === undefined) return [];
    collection.listed ??= collection.keys.flatMap((key) => collection.objects.get(key) ?? []);
    return collection.listed;
  }

  /** Answers the object with its version. All listeners are called before this returns, unless a listener calls this. */
  commit({ resource, before, after }: Commit): KubeObject {
    const subject = after ?? before;
    if (subject === undefined) throw new Error('a commit needs an object');
    const collection = this.#collection(resource);
    const revision = ++this.#revision;
    const { namespace, name } = subject.metadata;
    const object: KubeObject = {
      ...subject,
      metadata: { ...subject.metadata, resourceVersion: String(revision) },
    };
    const key = keyOf(namespace, name);
    if (after === undefined) collection.delete(key);
    else collection.put(key, object);
    const type = after === undefined ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
    const event: StoreEvent = { revision, type, object, before };
    this.#remember(collection, event);
    this.#untold.push({ event, resource });
    this.#tell();
    return object;
  }

  /** Whether all that happened after the version is still known. */
  remembers(resource: string, revision: number): boolean {
    return revision >= (this.#collections.get(resource)?.forgottenUntil ?? 0);
  }

  /** What happened after the version. */
  since(resource: string, revision: number): readonly StoreEvent[] {
    const history = this.#collections.get(resource)?.history ?? [];
    let first = history.length;
    while (first > 0 && (history[first - 1]?.revision ?? 0) > revision) first -= 1;
    return history.slice(first);
  }

  /** Tells everything that is committed from now on; answers what ends it. */
  subscribe(resource: string, listener: StoreListener): () => void {
    const { subscriptions } = this.#collection(resource);
    const subscription: Subscription = { listener, since: this.#revision, isActive: true };
    subscriptions.add(subscription);
    return () => {
      subscription.isActive = false;
      subscriptions.delete(subscription);
    };
  }

  /** Called with every commit, before the subscribers are. */
  observe(observer: StoreObserver): void {
    this.#observers.push(observer);
  }

  /** Forgets history, as etcd's compaction does. */
  compact(): void {
    this.#revision += 1;
    for (const collection of this.#collections.values()) {
      collection.history = [];
      collection.forgottenUntil = this.#revision;
    }
  }

  #tellAll(resource: string, event: StoreEvent): void {
    for (const observer of this.#observers) observer(resource, event);
    for (const subscription of [...this.#collection(resource).subscriptions])
      if (subscription.isActive && subscription.since < event.revision) subscription.listener(event);
  }

  #collection(resource: string): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      collection = new Collection();
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  #remember(collection: Collection, event: StoreEvent): void {
    collection.history.push(event);
    if (collection.history.length <= 2 * this.#mostHistory) return;
    const forgotten = collection.history.splice(0, this.#mostHistory);
    collection.forgottenUntil = forgotten.at(-1)?.revision ?? collection.forgottenUntil;
  }

  /** Listeners get a commit that a listener makes after all of them have had the event before. */
  #tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
        this.#tellAll(next.resource, next.event);
      }
    } finally {
      this.#isTelling = false;
    }
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
