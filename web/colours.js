/** Which colour stands for which namespace or pool: the same one as long as the page is open. */

/** Colours that can be told apart; further names share them. */
const HUES = 16;

export class Colours {
  #hues = new Map();

  /** The class of a name's colour. @param {string} name */
  of(name) {
    let hue = this.#hues.get(name);
    if (hue === undefined) {
      hue = this.#hues.size % HUES;
      this.#hues.set(name, hue);
    }
    return `hue-${String(hue)}`;
  }
}
