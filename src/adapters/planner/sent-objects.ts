/** The objects that the thread has, each by a number, and news of them that it has not been told yet. */
import { sameContent } from './same-content.js';

/** What the thread is told of objects, in the order: first it forgets, then it learns. */
export interface ObjectNews {
  /** Numbers that are free again. */
  readonly forgotten: readonly number[];
  readonly ids: readonly number[];
  /** Of the numbers of the same index. */
  readonly objects: readonly object[];
  /** Of the same index: the number of what the object's `spec` is, which it was sent without; −1 when it was not. */
  readonly specs: readonly number[];
}

/** Pods and DaemonSets: many share one spec. */
interface WithSpec {
  readonly spec: object;
}

export class SentObjects {
  readonly #ids = new Map<object, number>();
  readonly #objects: (object | undefined)[] = [];
  /** Lists and objects that an object is in, by its number. */
  readonly #uses: number[] = [];
  readonly #specs: number[] = [];
  readonly #free: number[] = [];
  readonly #mostTold: number;
  #news = noNews();

  /** So many objects are told at once. */
  constructor(mostTold: number) {
    this.#mostTold = mostTold;
  }

  /** The number of an object that was sent. */
  idOf(object: object): number | undefined {
    return this.#ids.get(object);
  }

  /** What was sent by this number. */
  at(id: number): object | undefined {
    return this.#objects[id];
  }

  /** Knows what was sent by this number as another object from now on, which says the same. */
  adopt(id: number, object: object): void {
    const old = this.#objects[id];
    if (old !== undefined) this.#ids.delete(old);
    this.#ids.set(object, id);
    this.#objects[id] = object;
  }

  /** Has an object sent that was not. `before` is an earlier version of it. */
  add(object: object, before: object | undefined): number {
    const spec = hasSpec(object) ? this.#specOf(object.spec, before) : -1;
    if (spec >= 0) this.use(spec);
    return this.#tell(object, spec < 0 ? object : { ...object, spec: undefined }, spec);
  }

  use(id: number): void {
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
  }

  /** The other side of `use`: what nothing uses any more is forgotten. */
  release(id: number): void {
    const uses = (this.#uses[id] ?? 0) - 1;
    this.#uses[id] = uses;
    const object = this.#objects[id];
    if (uses > 0 || object === undefined) return;
    this.#ids.delete(object);
    this.#objects[id] = undefined;
    this.#free.push(id);
    this.#news.forgotten.push(id);
    const spec = this.#specs[id] ?? -1;
    if (spec >= 0) this.release(spec);
  }

  /** Whether there is so much to tell that it is better told now. */
  get isFull(): boolean {
    return this.#news.ids.length >= this.#mostTold;
  }

  /** What has not been told, and is then. */
  take(): ObjectNews {
    const news = this.#news;
    this.#news = noNews();
    return news;
  }

  #specOf(spec: object, before: object | undefined): number {
    const known = this.#ids.get(spec);
    if (known !== undefined) return known;
    const [id, earlier] = before === undefined ? [] : [this.#ids.get(before), before];
    const old = id === undefined ? undefined : this.#specs[id];
    if (old !== undefined && earlier !== undefined && sameContent(this.#objects[old], spec)) return old;
    return this.#tell(spec, spec, -1);
  }

  #tell(object: object, content: object, spec: number): number {
    const id = this.#free.pop() ?? this.#objects.length;
    this.#ids.set(object, id);
    this.#objects[id] = object;
    this.#uses[id] = 0;
    this.#specs[id] = spec;
    this.#news.ids.push(id);
    this.#news.objects.push(content);
    this.#news.specs.push(spec);
    return id;
  }
}

function hasSpec(object: object): object is WithSpec {
  return 'spec' in object;
}

function noNews(): { forgotten: number[]; ids: number[]; objects: object[]; specs: number[] } {
  return { forgotten: [], ids: [], objects: [], specs: [] };
}
