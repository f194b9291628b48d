/** One text for equal ones: JSON, and what a thread receives, has each of them again for every object. */

/** Beyond these the pool starts again from nothing: sharing is an economy, not a promise. */
const MOST_TEXTS = 20_000;
/** Characters of a text that is shared. */
const LONGEST = 512;

export class TextPool {
  readonly #texts = new Map<string, string>();

  shared(text: string): string {
    if (text.length > LONGEST) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
