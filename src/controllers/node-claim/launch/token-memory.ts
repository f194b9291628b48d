/** What this process did with client tokens; all else has to be asked of the cloud. */

export class TokenMemory {
  /** Recorded by this process and not sent yet: surely nothing was launched. */
  readonly #unsent = new Set<string>();
  /** Recorded by this process, so that no other ever sent it. */
  readonly #own = new Set<string>();
  /** When this process began to look for what an unanswered call launched; monotonic. */
  readonly #searched = new Map<string, number>();

  recorded(token: string): void {
    this.#unsent.add(token);
    this.#own.add(token);
  }

  sent(token: string): void {
    this.#unsent.delete(token);
  }

  /** Answered: it will not be asked about again. */
  forget(token: string): void {
    this.#unsent.delete(token);
    this.#own.delete(token);
    this.#searched.delete(token);
  }

  isUnsent(token: string): boolean {
    return this.#unsent.has(token);
  }

  isOwn(token: string): boolean {
    return this.#own.has(token);
  }

  /** How long the search has lasted, in milliseconds; the first call starts it. */
  searchedMillis(token: string, monotonic: number): number {
    const since = this.#searched.get(token) ?? monotonic;
    this.#searched.set(token, since);
    return monotonic - since;
  }
}
