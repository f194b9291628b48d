/** The NodeClaims whose Reservations a loop of this process is about to write: they are not given up for having none yet. */
export class ClaimsInWork {
  readonly #names = new Set<string>();

  /** Does the work; until it ends, however it does, these claims are in work. A claim is in work for one caller at a time. */
  async during<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const name of names) this.#names.add(name);
    try {
      return await work();
    } finally {
      for (const name of names) this.#names.delete(name);
    }
  }

  /** Whether the claim of this name is. */
  has(name: string): boolean {
    return this.#names.has(name);
  }
}
