/** The objects that a reflector's sink knows, as far as needed to report deletions. */
import type { ReflectorSink } from './reflector-options.js';
import { isOlder } from '../../../../domain/values/resource-version.js';
import type { RawObject } from './watch-event.js';

export interface KnownObjectsOptions<T> {
  decode(raw: unknown): { readonly key: string; readonly value: T } | undefined;
  readonly sink: ReflectorSink<T>;
  /** The decoder or the sink threw for this object. */
  failed(error: unknown, path: string): void;
}

interface Known {
  /** Under which the sink has it; undefined when the decoder left it out, or never understood it. */
  readonly key: string | undefined;
  readonly uid: string;
  /** Of the state that the sink received; '' when it failed, so that the next list sends it again. */
  readonly resourceVersion: string;
}

/**
 * Whatever the decoder and the sink throw, every object is sent again with its next change, an older state never follows a
 * newer one, and removed objects are reported as deleted.
 */
export class KnownObjects<T> {
  readonly #options: KnownObjectsOptions<T>;
  /** By the objects' paths. */
  readonly #known = new Map<string, Known>();

  constructor(options: KnownObjectsOptions<T>) {
    this.#options = options;
  }

  put(object: RawObject): void {
    const { path, uid, resourceVersion } = object;
    let before = this.#known.get(path);
    if (before !== undefined && before.uid !== uid) {
      // Deleted and created again between two lists: the new object alone does not show that.
      this.#delete(path, before);
      before = undefined;
    }
    if (before !== undefined && isDelivered(before, resourceVersion)) return;
    const told = this.#tell(object, before?.key);
    this.#known.set(path, { key: told.key, uid, resourceVersion: told.failed ? '' : resourceVersion });
  }

  delete({ path, uid }: RawObject): void {
    const known = this.#known.get(path);
    // The end of a predecessor is old news.
    if (known?.uid === uid) this.#delete(path, known);
  }

  /** Of what is known, what is not among these paths. */
  missingFrom(paths: ReadonlySet<string>): readonly string[] {
    return [...this.#known.keys()].filter((path) => !paths.has(path));
  }

  /** The object is gone, whichever it was. */
  forget(path: string): void {
    const known = this.#known.get(path);
    if (known !== undefined) this.#delete(path, known);
  }

  /** The key under which the sink has the object afterwards, and whether telling failed. */
  #tell(
    object: RawObject,
    keyBefore: string | undefined,
  ): { readonly key: string | undefined; failed: boolean } {
    const { sink } = this.#options;
    let key = keyBefore;
    try {
      const decoded = this.#options.decode(object.raw);
      key = decoded?.key === object.path ? object.path : decoded?.key;
      if (keyBefore !== undefined && keyBefore !== key) sink.delete(keyBefore, object.uid);
      if (decoded !== undefined && key !== undefined) sink.put(decoded.value, key);
      return { key, failed: false };
    } catch (error) {
      this.#options.failed(error, object.path);
      return { key, failed: true };
    }
  }

  #delete(path: string, { key, uid }: Known): void {
    this.#known.delete(path);
    if (key === undefined) return;
    try {
      this.#options.sink.delete(key, uid);
    } catch (error) {
      this.#options.failed(error, path);
    }
  }
}

function isDelivered(known: Known, resourceVersion: string): boolean {
  return known.resourceVersion === resourceVersion || isOlder(resourceVersion, known.resourceVersion);
}
