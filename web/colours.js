/** Which colour stands for which namespace or pool: a matter of their names alone, so that every load of the page agrees. */

/** Colours that can be distinguished (map.css); further names share them. */
export const HUES = 16;

export class Colours {
  #hues = new Map();

  /**
   * Chooses the colours of these names and of all before them. A name has the colour of its hash; where two have the same, the
   * later in the alphabet takes the next that no name has, so that only such names depend on what else there is.
   * @param {Iterable<string>} names
   * @returns {boolean} Whether a name that had a colour before has another now.
   */
  learn(names) {
    const before = this.#hues;
    const all = new Set([...before.keys(), ...names]);
    if (all.size === before.size) return false;
    this.#hues = assign([...all].sort());
    return [...before].some(([name, hue]) => this.#hues.get(name) !== hue);
  }

  /**
   * The class of a name's colour.
   * @param {string} name
   */
  of(name) {
    return `hue-${String(this.#hues.get(name) ?? hash(name) % HUES)}`;
  }
}

/**
 * @param {readonly string[]} names Sorted.
 * @returns {Map<string, number>}
 */
function assign(names) {
  const hues = new Map();
  const taken = new Set();
  const give = (name, hue) => {
    hues.set(name, hue);
    taken.add(hue);
  };
  for (const name of names) if (!taken.has(hash(name) % HUES)) give(name, hash(name) % HUES);
  for (const name of names) if (!hues.has(name)) give(name, nextFree(hash(name) % HUES, taken));
  return hues;
}

/** The colour itself where all are taken. */
function nextFree(hue, taken) {
  for (let step = 1; step < HUES; step++) {
    const next = (hue + step) % HUES;
    if (!taken.has(next)) return next;
  }
  return hue;
}

/** FNV-1a of 32 bits over UTF-16 code units. */
function hash(name) {
  let value = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    value = Math.imul(value ^ name.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV-1a are the least mixed, and they choose the colour.
  return (value ^ (value >>> 15)) >>> 0;
}
