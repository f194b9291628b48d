/** Which keys share a value: pods on a node, nodes of an instance. */

const NONE: ReadonlySet<string> = new Set();

/** Value → keys. An undefined value is not indexed. */
export class KeyIndex {
  readonly #keys = new Map<string, Set<string>>();

  add(key: string, value: string | undefined): void {
    if (value === undefined) return;
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, new Set([key]));
    else keys.add(key);
  }

  remove(key: string, value: string | undefined): void {
    const keys = value === undefined ? undefined : this.#keys.get(value);
    if (value === undefined || keys === undefined) return;
    keys.delete(key);
    if (keys.size === 0) this.#keys.delete(value);
  }

  /** The key's value changed. */
  move(key: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    this.remove(key, from);
    this.add(key, to);
  }

  all(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? NONE;
  }

  /** The first in the order of the alphabet, so that it does not matter which came first. */
  first(value: string): string | undefined {
    let first: string | undefined;
    for (const key of this.all(value)) if (first === undefined || key < first) first = key;
    return first;
  }
}
