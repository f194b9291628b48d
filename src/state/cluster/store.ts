/** The objects of one kind as they are known now, in whatever order news of them arrives. */
import { isOlder } from '../../domain/values/resource-version.js';

/** One object appeared (no `before`), changed, or went (no `after`). */
export interface Change<T> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export type ChangeListener<T> = (change: Change<T>) => void;

/** Deletions remembered per kind: far more than happen while the answer of a write is under way. */
const REMEMBERED = 16_384;

/**
 * A store with subscribers.
 *
 * News may come late or twice, since the answer of a write and the watch tell the same story. A put is ignored when it
 * is older than what is known under its key; and after a deletion, when it has the uid of an object that is gone (uids
 * never return) or a version older than the last one known under its key. Only the last 16,384 deletions are
 * remembered, so the memory is bounded, and an answer that is overtaken by more deletions than that is believed.
 */
export class Store<T extends object> {
  readonly #objects = new Map<string, T>();
  /** Last known versions of keys that are gone, oldest deletion first. */
  readonly #lastVersions = new Map<string, string>();
  readonly #deletedUIDs = new Set<string>();
  readonly #listeners = new Set<ChangeListener<T>>();
  readonly #index: ChangeListener<T>;
  readonly #untold: Change<T>[] = [];
  #telling = false;

  /** `index` hears of each change before `put` or `delete` returns and before any subscriber. */
  constructor(index: ChangeListener<T> = () => undefined) {
    this.#index = index;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): MapIterator<T> {
    return this.#objects.values();
  }

  /** Whether an object with this uid is known to be gone. */
  wasDeleted(uid: string): boolean {
    return this.#deletedUIDs.has(uid);
  }

  /**
   * Hears of every change from now on, in order, also of those that a listener causes. What a listener throws does not
   * keep others from hearing; it is thrown to the caller of put or delete. Answers what ends the subscription.
   */
  subscribe(listener: ChangeListener<T>): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Takes the object in. Answers whether it was news. */
  put(key: string, object: T): boolean {
    const before = this.#objects.get(key);
    const uid = uidOf(object);
    if (uid !== undefined && this.#deletedUIDs.has(uid)) return false;
    const known = before === undefined ? (this.#lastVersions.get(key) ?? '') : versionOf(before);
    if (isOlder(versionOf(object), known)) return false;
    this.#objects.set(key, object);
    this.#lastVersions.delete(key);
    if (before !== undefined && uidOf(before) !== uid) this.#bury(uidOf(before));
    this.#tell({ key, before, after: object });
    return true;
  }

  /** Where a uid is given and the kind has one, only the object with it goes. Answers whether there was such an object. */
  delete(key: string, uid?: string): boolean {
    const before = this.#objects.get(key);
    if (before === undefined || (uidOf(before) ?? uid) !== (uid ?? uidOf(before))) {
      this.#bury(uid);
      return false;
    }
    this.#objects.delete(key);
    this.#lastVersions.set(key, versionOf(before));
    forgetOldest(this.#lastVersions);
    this.#bury(uidOf(before));
    this.#tell({ key, before, after: undefined });
    return true;
  }

  /**
   * Takes over what another store of the same objects holds under the key; undefined: nothing any more. That store has
   * decided already what is news.
   */
  adopt(key: string, object: T | undefined): void {
    const before = this.#objects.get(key);
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, object);
    this.#tell({ key, before, after: object });
  }

  #bury(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#deletedUIDs.add(uid);
    forgetOldest(this.#deletedUIDs);
  }

  #tell(change: Change<T>): void {
    this.#index(change);
    this.#untold.push(change);
    if (this.#telling) return;
    this.#telling = true;
    const errors: unknown[] = [];
    for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift())
      for (const listener of [...this.#listeners]) attempt(listener, next, errors);
    this.#telling = false;
    if (errors.length > 0)
      throw new AggregateError(errors, `${String(errors.length)} listeners of a store failed`);
  }
}

function attempt<T>(listener: ChangeListener<T>, change: Change<T>, errors: unknown[]): void {
  try {
    listener(change);
  } catch (error) {
    errors.push(error);
  }
}

function forgetOldest(collection: Map<string, unknown> | Set<string>): void {
  for (const key of collection.keys()) {
    if (collection.size <= REMEMBERED) return;
    collection.delete(key);
  }
}

function uidOf(object: object): string | undefined {
  return (object as { readonly uid?: string }).uid;
}

/** '' where the kind has none: nothing is older than that. */
function versionOf(object: object): string {
  return (object as { readonly resourceVersion?: string }).resourceVersion ?? '';
}
