/** The room that a claim's pods need, as the few resources that they ask for at all. */

/** Most pods ask for cpu, memory and a slot: so many resources are compared without a loop. */
const FIRST = 3;

interface Part {
  readonly axis: number;
  readonly amount: number;
}

const NOTHING: Part = { axis: 0, amount: -Infinity };

export class Need {
  readonly #width: number;
  #first = NOTHING;
  #second = NOTHING;
  #third = NOTHING;
  #rest: readonly Part[] = [];

  /** For R resources. */
  constructor(width: number) {
    this.#width = width;
  }

  /** From now on: row `index` of a matrix with rows of R amounts, less what is free of them. */
  set(matrix: Float64Array, index: number, free?: Float64Array): void {
    const parts: Part[] = [];
    for (let axis = 0; axis < this.#width; axis++) {
      const amount = (matrix[index * this.#width + axis] ?? 0) - (free?.[axis] ?? 0);
      if (amount > 0) parts.push({ axis, amount });
    }
    [this.#first = NOTHING, this.#second = NOTHING, this.#third = NOTHING] = parts;
    this.#rest = parts.length > FIRST ? parts.slice(FIRST) : NO_PARTS;
  }

  /** Whether row `index` of a matrix with rows of R amounts has all of it. */
  fits(room: Float64Array, index: number): boolean {
    return this.next(room, index, index + 1) === index;
  }

  /** The first row from `first` on, and before `end`, that has all of it; `end` when none does. */
  next(room: Float64Array, first: number, end: number): number {
    const width = this.#width;
    const { axis: a, amount: ofA } = this.#first;
    const { axis: b, amount: ofB } = this.#second;
    const { axis: c, amount: ofC } = this.#third;
    const isAll = this.#rest.length === 0;
    let at = first * width;
    for (let index = first; index < end; index++, at += width) {
      if ((room[at + a] ?? 0) < ofA || (room[at + b] ?? 0) < ofB || (room[at + c] ?? 0) < ofC) continue;
      if (isAll || this.#hasRest(room, at)) return index;
    }
    return end;
  }

  #hasRest(room: Float64Array, at: number): boolean {
    return this.#rest.every(({ axis, amount }) => (room[at + axis] ?? 0) >= amount);
  }
}

const NO_PARTS: readonly Part[] = [];
