/**
 * Objects that many others refer to: specs of pods, instance types, pools. Each is sent to the thread once and goes by a number
 * for as long as something uses it, so that it is one object there, too.
 */

/** In the order: first the thread forgets, then it learns. */
export interface ObjectNews {
  /** Numbers that are free again. */
  readonly forgotten: readonly number[];
  readonly ids: readonly number[];
  /** Of the numbers of the same index. */
  readonly objects: readonly object[];
}

/** The side that sends. */
export class NumberedObjects {
  readonly #known = new Map<object, { readonly id: number; uses: number }>();
  readonly #free: number[] = [];
  #next = 0;
  #forgotten: number[] = [];
  #unsent: { readonly id: number; readonly object: object }[] = [];

  /** How many the thread has, or will have. */
  get size(): number {
    return this.#known.size;
  }

  /** Counts one more use of the object; answers its number. */
  use(object: object): number {
    const known = this.#known.get(object);
    if (known !== undefined) {
      known.uses++;
      return known.id;
    }
    const id = this.#free.pop() ?? this.#next++;
    this.#known.set(object, { id, uses: 1 });
    this.#unsent.push({ id, object });
    return id;
  }

  /** The other side of `use`: what nothing uses any more is forgotten. */
  release(object: object): void {
    const known = this.#known.get(object);
    if (known === undefined || --known.uses > 0) return;
    this.#known.delete(object);
    this.#free.push(known.id);
    this.#forgotten.push(known.id);
  }

  /** Objects that are to be sent. */
  get unsent(): number {
    return this.#unsent.length;
  }

  /** What is to be sent, at most so many objects; it counts as sent from then on. */
  take(most: number): ObjectNews {
    const sent = this.#unsent.splice(0, most);
    const forgotten = this.#forgotten;
    this.#forgotten = [];
    return { forgotten, ids: sent.map(({ id }) => id), objects: sent.map(({ object }) => object) };
  }
}

/** The side that receives. */
export class NumberedCopies {
  readonly #objects: (object | undefined)[] = [];

  learn({ forgotten, ids, objects }: ObjectNews): void {
    for (const id of forgotten) this.#objects[id] = undefined;
    ids.forEach((id, index) => (this.#objects[id] = objects[index]));
  }

  /** @throws Error when there is none: the messages were not taken in their order. */
  get(id: number): object {
    const object = this.#objects[id];
    if (object === undefined) throw new Error(`the thread has not received object ${String(id)}`);
    return object;
  }
}
