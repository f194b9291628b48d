/** Values of label keys over nodes or columns, as small integers; found once for as long as the list of them lasts. */
import type { NodeView } from './node-constraint.js';

/** The values of one key. */
interface LabelValues {
  /** View → index into `values`, or -1 without the label. */
  readonly of: Int32Array;
  /** In the order in which the views have them. */
  readonly values: readonly string[];
}

export class ViewLabels {
  readonly #views: readonly NodeView[];
  readonly #byKey = new Map<string, LabelValues>();
  readonly #firsts = new Map<string, Int32Array>();

  constructor(views: readonly NodeView[]) {
    this.#views = views;
  }

  /** Whether this is about the very list. */
  areOf(views: readonly NodeView[]): boolean {
    return views === this.#views;
  }

  of(key: string): LabelValues {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made = valuesOf(this.#views, key);
    this.#byKey.set(key, made);
    return made;
  }

  /** View → the first that has the same value, or -1 without the label. */
  firstWith(key: string): Int32Array {
    const known = this.#firsts.get(key);
    if (known !== undefined) return known;
    const { of, values } = this.of(key);
    const first = new Int32Array(values.length).fill(-1);
    const made = of.map((value, index) => {
      if (value < 0) return -1;
      if (first[value] === -1) first[value] = index;
      return first[value] ?? -1;
    });
    this.#firsts.set(key, made);
    return made;
  }
}

/** The values of a key over some views, numbered in the order in which they turn up. */
function valuesOf(views: readonly NodeView[], key: string): LabelValues {
  const numbers = new Map<string, number>();
  const of = new Int32Array(views.length).fill(-1);
  views.forEach(({ labels }, index) => {
    const value = labels.get(key);
    if (value === undefined) return;
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    of[index] = number;
  });
  return { of, values: [...numbers.keys()] };
}
