/** Sets of small integers that are joined and never parted (union by first, path halving). */
export class DisjointSets {
  readonly #parent = new Map<number, number>();

  /** The set that an element is in, named after one of its elements. */
  find(element: number): number {
    let at = element;
    for (;;) {
      const above = this.#parent.get(at) ?? at;
      if (above === at) return at;
      const higher = this.#parent.get(above) ?? above;
      this.#parent.set(at, higher);
      at = higher;
    }
  }

  join(left: number, right: number): void {
    const [first, second] = [this.find(left), this.find(right)];
    if (first !== second) this.#parent.set(Math.max(first, second), Math.min(first, second));
  }
}
