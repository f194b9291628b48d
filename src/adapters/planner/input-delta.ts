/** Requests for the thread, each told by what is different since the one before. */
import type { ListEdit } from './list-edit.js';
import type { ListName, PlannerMessage, PlannerTask } from './message.js';
import { SentList } from './sent-list.js';
import { SentObjects } from './sent-objects.js';
import { toldTask } from './told-lists.js';

/** Objects told at once: what takes a few milliseconds to be copied. */
const MOST_TOLD = 250;

/** Lives as long as the thread that is told; with another one it begins anew. What requests are made of must not change. */
export class InputDelta {
  readonly #objects: SentObjects;
  readonly #lists = new Map<ListName, SentList>();
  readonly #typeLists: SentList[] = [];

  constructor(mostTold = MOST_TOLD) {
    this.#objects = new SentObjects(mostTold);
  }

  /** What to tell, in the order, the question last: one message where little has changed. */
  *tell(id: number, task: PlannerTask): Generator<PlannerMessage, void> {
    const { lists, types, moment } = toldTask(task);
    const edits: [ListName, ListEdit][] = [];
    for (const [name, items] of lists) {
      const edit = yield* this.#edit(this.#list(name), items);
      if (edit !== undefined) edits.push([name, edit]);
    }
    const typeEdits: [number, ListEdit][] = [];
    while (this.#typeLists.length < types.length) this.#typeLists.push(new SentList(this.#objects));
    for (const [index, list] of this.#typeLists.entries()) {
      const edit = yield* this.#edit(list, types[index] ?? []);
      if (edit !== undefined) typeEdits.push([index, edit]);
    }
    for (const list of [...this.#lists.values(), ...this.#typeLists]) list.settle();
    yield { news: this.#objects.take(), question: { id, edits, typeEdits, moment } };
  }

  *#edit(list: SentList, items: readonly object[]): Generator<PlannerMessage, ListEdit | undefined> {
    const telling = list.tell(items);
    for (let step = telling.next(); ; step = telling.next()) {
      if (step.done === true) return step.value;
      yield { news: this.#objects.take() };
    }
  }

  #list(name: ListName): SentList {
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const list = new SentList(this.#objects);
    this.#lists.set(name, list);
    return list;
  }
}
