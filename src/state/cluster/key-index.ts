/** Which keys share a value: pods on a node, nodes of an instance. */

const NONE: ReadonlySet<string> = new Set();

/** Value → keys. An undefined value is not indexed. */
export class KeyIndex {
  /** Most values of most indexes have one key: that needs no Set. */
  readonly #keys = new Map<string, string | Set<string>>();

  add(key: string, value: string | undefined): void {
    if (value === undefined) return;
    const keys = this.#keys.get(value);
    if (keys === undefined || keys === key) this.#keys.set(value, key);
    else if (typeof keys === 'string') this.#keys.set(value, new Set([keys, key]));
    else keys.add(key);
  }

  remove(key: string, value: string | undefined): void {
    const keys = value === undefined ? undefined : this.#keys.get(value);
    if (value === undefined || keys === undefined) return;
    if (typeof keys !== 'string') {
      keys.delete(key);
      if (keys.size === 0) this.#keys.delete(value);
    } else if (keys === key) this.#keys.delete(value);
  }

  /** The key's value changed. */
  move(key: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    this.remove(key, from);
    this.add(key, to);
  }

  all(value: string): ReadonlySet<string> {
    const keys = this.#keys.get(value) ?? NONE;
    return typeof keys === 'string' ? new Set([keys]) : keys;
  }

  /** The first in the order of the alphabet, so that it does not matter which came first. */
  first(value: string): string | undefined {
    const keys = this.#keys.get(value);
    if (keys === undefined || typeof keys === 'string') return keys;
    let first: string | undefined;
    for (const key of keys) if (first === undefined || key < first) first = key;
    return first;
  }
}
