/** Documents of one kind as they were last told, and those whose objects have changed since. */

export interface Taken {
  /** JSON texts of documents that are new or other than they were. */
  readonly changed: readonly string[];
  /** Keys of documents that are no more. */
  readonly gone: readonly string[];
}

export class Changes {
  readonly #told = new Map<string, string>();
  readonly #marked = new Set<string>();
  readonly #make: (key: string) => string | undefined;

  /** `make` writes the document of a key as it is now; undefined when there is none. */
  constructor(make: (key: string) => string | undefined) {
    this.#make = make;
  }

  /** The document of the key may have changed. */
  mark(key: string): void {
    this.#marked.add(key);
  }

  /** All documents as last told. */
  all(): readonly string[] {
    return [...this.#told.values()];
  }

  /** How many documents are marked. */
  get marked(): number {
    return this.#marked.size;
  }

  /** Writes marked items again, up to a number; from now on they count as sent. */
  take(most: number): Taken {
    const changed: string[] = [];
    const gone: string[] = [];
    for (const key of [...this.#marked].slice(0, most)) {
      this.#marked.delete(key);
      const before = this.#told.get(key);
      const after = this.#make(key);
      if (after === before) continue;
      if (after === undefined) {
        this.#told.delete(key);
        gone.push(key);
      } else {
        this.#told.set(key, after);
        changed.push(after);
      }
    }
    return { changed, gone };
  }
}
