/** One list as the thread has it, and how to tell it the next one. */
import { ListEditor, type ListEdit } from './list-edit.js';
import { sameContent } from './same-content.js';
import type { SentObjects } from './sent-objects.js';

/** Fields that tell objects of a list apart, if not always. */
interface Keyed {
  readonly uid?: unknown;
  readonly name?: unknown;
}

/** Objects with their numbers, index by index. */
interface Numbered {
  readonly items: readonly object[];
  readonly ids: Int32Array;
}

/** Objects looked for at once: what takes a millisecond or two. */
const MOST_COMPARED = 1000;
/** Position of a number that was in the list and has been let go. */
const GONE = -2;

/**
 * An object of the next list is one that the thread has when it is the same object; or when it says the same as one that
 * stands where it is expected, or bears its key: some are made anew for each request from what has not changed. Costs
 * little for long stretches that stay.
 */
export class SentList {
  readonly #objects: SentObjects;
  #now: Numbered = { items: [], ids: new Int32Array(0) };
  /** The list before, until what is in it no longer has been let go. */
  #before: Numbered | undefined;
  /** An object's index in the list by its number; of numbers that are not in it, anything. */
  #positions: Int32Array = new Int32Array(0);
  /** Key → number. Keys need not be unique: they are hints. */
  readonly #keys = new Map<unknown, number>();

  constructor(objects: SentObjects) {
    this.#objects = objects;
  }

  /**
   * What makes the next list of the last one; undefined when it is the same. Pauses whenever it has worked for a while: the
   * news of objects are to be told then, for they are told before the list. To be followed by `settle`.
   */
  *tell(items: readonly object[]): Generator<undefined, ListEdit | undefined> {
    const old = this.#now;
    const ids = new Int32Array(items.length);
    const entered = new Set<number>();
    const editor = new ListEditor();
    // Index in the old list where the next object is, if it is there.
    let expected = 0;
    let compared = 0;
    let index = 0;
    for (const item of items) {
      if (item === old.items[expected]) {
        ids[index++] = old.ids[expected] ?? -1;
        editor.repeat(expected++);
        continue;
      }
      const id = this.#known(item, expected) ?? this.#add(item);
      const at = this.#positionOf(id);
      const twin = at < 0 ? this.#hint(item) : id;
      if (twin !== undefined) expected = this.#positionOf(twin) + 1;
      if (at < 0) this.#enter(id, item, entered);
      if (at < 0) editor.insert(id);
      else editor.repeat(at);
      ids[index++] = id;
      if (this.#objects.isFull || ++compared % MOST_COMPARED === 0) yield;
    }
    const edit = editor.done(old.ids.length);
    if (edit === undefined) this.#now = { items, ids: old.ids };
    else this.#replace({ items, ids });
    return edit;
  }

  /** Lets go of what is in the list no longer, once every other list had the opportunity to take it. */
  settle(): void {
    if (this.#before === undefined) return;
    const { items, ids } = this.#before;
    this.#before = undefined;
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] ?? -1;
      if (this.#positionOf(id) >= 0 || this.#positions[id] === GONE) continue;
      this.#positions[id] = GONE;
      const key = keyOf(items[index]);
      if (this.#keys.get(key) === id) this.#keys.delete(key);
      this.#objects.release(id);
    }
  }

  /** The number of an object that the thread has. */
  #known(item: object, expected: number): number | undefined {
    return (
      this.#objects.idOf(item) ??
      this.#equal(item, this.#now.ids[expected]) ??
      this.#equal(item, this.#hint(item))
    );
  }

  #equal(item: object, id: number | undefined): number | undefined {
    if (id === undefined || !sameContent(this.#objects.at(id), item)) return undefined;
    this.#objects.adopt(id, item);
    return id;
  }

  #add(item: object): number {
    const old = this.#hint(item);
    return this.#objects.add(item, old === undefined ? undefined : this.#objects.at(old));
  }

  /** An object that was not in the list; once, though it may be in it several times. */
  #enter(id: number, item: object, entered: Set<number>): void {
    if (entered.has(id)) return;
    entered.add(id);
    this.#objects.use(id);
    this.#keys.set(keyOf(item), id);
  }

  /** The object of the last list with the item's key. */
  #hint(item: object): number | undefined {
    const id = this.#keys.get(keyOf(item));
    return id !== undefined && this.#positionOf(id) >= 0 ? id : undefined;
  }

  #positionOf(id: number): number {
    const at = this.#positions[id] ?? -1;
    return this.#now.ids[at] === id ? at : -1;
  }

  #replace(now: Numbered): void {
    this.#before = this.#now;
    this.#now = now;
    let greatest = 0;
    for (const id of now.ids) if (id > greatest) greatest = id;
    if (this.#positions.length <= greatest) {
      const positions = new Int32Array(greatest + 1 + (greatest >> 2)).fill(-1);
      positions.set(this.#positions);
      this.#positions = positions;
    }
    for (let index = 0; index < now.ids.length; index++) this.#positions[now.ids[index] ?? -1] = index;
  }
}

function keyOf(item: Keyed | undefined): unknown {
  return item?.uid ?? item?.name;
}
